// A shared object that uses OpenMP, as an extension module does. Each function prints nothing and returns what a
// right runtime gives: wrong results are negative. With -DAT_LOAD there are regions when it is loaded and unloaded.
#include <omp.h>
#include <stdlib.h>
#include <time.h>

#define EXPORTED __attribute__((visibility("default")))

enum { kMost = 64 };

typedef long Function(long);

static long g_state;  // of this copy of the object: gone when it is unloaded

static void nap(long microseconds) {
  struct timespec time = {0, microseconds * 1000L};
  nanosleep(&time, NULL);
}

// Regions whose barriers let no thread through early: one of the team is late in each round.
EXPORTED long regions(long count) {
  long cell[kMost] = {0};
  long errors = 0;
  int size = 0;
  for (long region = 1; region <= count; ++region) {
#pragma omp parallel reduction(+ : errors)
    {
      const int me = omp_get_thread_num();
      const int n = omp_get_num_threads();
      for (long round = 1; round <= 3; ++round) {
        if (region % 16 == 1 && me == round % n) nap(100);
        cell[me] = 10 * region + round;
#pragma omp barrier
        for (int i = 0; i < n; ++i) errors += cell[i] != 10 * region + round;
#pragma omp barrier
      }
      if (me == 0) size = n;
    }
  }
  g_state += count;
  return errors != 0 ? -errors : 1000 * size + g_state;
}

// The size of a region whose barriers are met late: it is quiet until then.
EXPORTED long quiet(long count) {
  long sum = 0;
  for (long region = 0; region < count; ++region) {
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < 100; ++i) sum += i;
  }
  return sum / 4950;
}

// What a compiler makes other calls of: loops of all schedules, sections, single, tasks, a reduction.
EXPORTED long constructs(long count) {
  long sum = 0;
  long shared = 0;
  for (long round = 0; round < count; ++round) {
    long copied = 0;
#pragma omp parallel firstprivate(copied) reduction(+ : sum)
    {
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 20; ++i) sum += i;
#pragma omp single copyprivate(copied)
      copied = round;
      sum += copied == round ? 0 : 1000000;
#pragma omp sections
      {
#pragma omp section
        sum += 1;
#pragma omp section
        sum += 2;
      }
#pragma omp single
      for (int i = 0; i < 8; ++i) {
#pragma omp task
#pragma omp atomic
        shared += 1;
      }
#pragma omp for schedule(guided) nowait
      for (int i = 0; i < 20; ++i) sum += 1;
    }
  }
  return sum * 1000 + shared;  // 213 and 8 for each round
}

EXPORTED long set_threads(long count) {
  omp_set_num_threads((int)count);
  return omp_get_max_threads();
}

// What the serial part hears, in decimal places.
EXPORTED long asked(long unused) {
  (void)unused;
  return omp_get_max_threads() * 1000 + omp_get_num_threads() * 100 + omp_get_level() * 10 +
         omp_in_parallel();
}

// A region in which the primary thread is late, so that the team waits at a barrier.
EXPORTED long waiting(long milliseconds) {
  int size = 0;
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) {
      size = omp_get_num_threads();
      nap(1000 * (milliseconds % 1000));
      for (long second = 0; second < milliseconds / 1000; ++second) nap(999999);
    }
#pragma omp barrier
  }
  return size;
}

// The runtime gives its threads back.
EXPORTED long paused(long unused) {
  (void)unused;
  return omp_pause_resource_all(omp_pause_hard);
}

// Calls another object's function from the serial part between two regions, from a region's primary thread with its
// team waiting, and from each thread of a region in turn.
EXPORTED long between(Function* other, long count) {
  const long before = regions(20);
  const long theirs = other(count);
  const long after = regions(20);
  return before < 0 || after < 0 ? -1 : theirs;
}

EXPORTED long within(Function* other, long count) {
  long theirs = 0;
  long errors = 0;
#pragma omp parallel reduction(+ : errors)
  {
#pragma omp barrier
    if (omp_get_thread_num() == 0) theirs = other(count);
#pragma omp barrier
    errors += theirs == 0;
#pragma omp barrier
  }
  return errors != 0 ? -errors : theirs;
}

EXPORTED long by_each(Function* other, long count) {
  long worst = 1;
#pragma omp parallel
  {
#pragma omp barrier
#pragma omp critical
    {
      const long theirs = other(count);
      if (theirs < worst) worst = theirs;
    }
#pragma omp barrier
  }
  return worst;
}

#ifdef AT_LOAD
#include <stdio.h>

__attribute__((constructor)) static void at_load(void) { printf("at load: %ld\n", regions(30)); }

__attribute__((destructor)) static void at_unload(void) {
  printf("at unload: %ld\n", regions(30));
#ifndef __clang__
  nap(100000);  // until libgomp's idle threads sleep: they are in its code, which goes
#endif
  fflush(stdout);
}
#endif
