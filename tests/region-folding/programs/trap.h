// Shared by the trap programs: regions that open a fold, and the state of one thread.
#pragma once

#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMostThreads = 64, kSettle = 10 };

// Whether the program runs on libgomp, whatever is preloaded.
static inline int on_libgomp(void) { return getenv("TRAP_LIBGOMP") != NULL; }

// A program that ends by _exit or a signal must have flushed its output before.
__attribute__((constructor)) static void write_lines_at_once(void) {
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
}

// Runs that many parallel regions and returns the sum over all their threads. Reports an error if a thread was missing
// or the size of the team changed.
static long regions(int count) {
  long total = 0;
  int team = 0;
  for (int i = 1; i <= count; ++i) {
    long cell[kMostThreads] = {0};
    int size = 0;
#pragma omp parallel
    {
      int me = omp_get_thread_num();
      cell[me] = i;
      if (me == 0) size = omp_get_num_threads();
    }
    for (int t = 0; t < size; ++t) {
      if (cell[t] != i) printf("region %d: thread %d of %d did not run\n", i, t, size);
      total += cell[t];
    }
    if (team != 0 && team != size) printf("region %d: %d threads after %d\n", i, size, team);
    team = size;
  }
  return total;
}

// In `on` mode a fold is open when this returns.
static inline void settle(void) { printf("settled: %ld\n", regions(kSettle)); }

// The last lines of most programs: everything works as before, and the serial part is serial.
static inline int finish(void) {
  printf("at the end: %ld, %d thread(s), level %d\n", regions(kSettle), omp_get_num_threads(),
         omp_get_level());
  return 0;
}
