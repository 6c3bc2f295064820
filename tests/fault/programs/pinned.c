// Threads that set their own affinity in a region, and others' from a thread outside: what was set last
// is what is found, by the thread at its barriers, in a signal handler at any time, and by the one that
// set it. pinned self|other
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static cpu_set_t all;
static pthread_t member[kMaxThreads];
static int done;

static _Thread_local cpu_set_t expected;  // empty: in no check yet
static _Thread_local volatile sig_atomic_t changing;
static volatile sig_atomic_t wrong_in_handler;

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

// By a system call, which no library can replace.
static int is_as_expected(void) {
  cpu_set_t now;
  CPU_ZERO(&now);
  return syscall(SYS_sched_getaffinity, 0, sizeof(now), &now) > 0 && CPU_EQUAL(&now, &expected);
}

static void on_tick(int signal) {
  (void)signal;
  if (!changing && CPU_COUNT(&expected) > 0 && !is_as_expected()) wrong_in_handler = 1;
}

static void choose(const cpu_set_t* set) {
  changing = 1;
  expected = *set;
  expect(sched_setaffinity(0, sizeof(*set), set) == 0);
  changing = 0;
}

static void pin_here(void) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  choose(&one);
}

static void barriers_until(double end) {
  static int stop;
#pragma omp barrier
#pragma omp master
  stop = 0;
#pragma omp barrier
  while (stop == 0) {
    expect(is_as_expected());
    if (CPU_COUNT(&expected) == 1) expect(CPU_ISSET(sched_getcpu(), &expected));
#pragma omp barrier
#pragma omp master
    if (now_ms() > end) stop = 1;
#pragma omp barrier
  }
}

// Long enough for Muster to place the threads, then each chooses the CPU that it is on.
static void choose_themselves(void) {
#pragma omp parallel
  choose(&all);
#pragma omp parallel
  {
    barriers_until(now_ms() + 400);
    pin_here();
    barriers_until(now_ms() + 150);
  }
  expect(is_as_expected());
#pragma omp parallel
  {
    barriers_until(now_ms() + 50);
    choose(&all);
    barriers_until(now_ms() + 200);
  }
  expect(is_as_expected());
}

static void* choose_for_others(void* count) {
  unsigned seed = 1;
  usleep(400000);
  for (double end = now_ms() + 300; now_ms() < end;) {
    for (int i = 0; i < *(int*)count; ++i) {
      cpu_set_t set = all, now;
      seed = seed * 1664525 + 1013904223;
      if (seed >> 16 & 1) {
        CPU_ZERO(&set);
        CPU_SET((int)(seed >> 20) % CPU_COUNT(&all), &set);
        CPU_AND(&set, &set, &all);
        if (CPU_COUNT(&set) == 0) set = all;
      }
      expect(pthread_setaffinity_np(member[i], sizeof(set), &set) == 0);
      usleep(seed >> 24);
      expect(pthread_getaffinity_np(member[i], sizeof(now), &now) == 0);
      expect(CPU_EQUAL(&set, &now));
    }
  }
  __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
  return NULL;
}

static void chosen_by_another(void) {
  int count = 0, stop = 0;
  pthread_t other;
#pragma omp parallel
  {
    member[omp_get_thread_num()] = pthread_self();
#pragma omp barrier
#pragma omp single
    {
      count = omp_get_num_threads();
      expect(pthread_create(&other, NULL, choose_for_others, &count) == 0);
    }
    while (stop == 0) {
#pragma omp barrier
#pragma omp master
      stop = __atomic_load_n(&done, __ATOMIC_RELAXED);
#pragma omp barrier
    }
  }
  pthread_join(other, NULL);
}

int main(int count, char** arguments) {
  if (count != 2 || sched_getaffinity(0, sizeof(all), &all) != 0) return 2;
  if (strcmp(arguments[1], "self") == 0) {
    struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
    sigaction(SIGPROF, &action, NULL);
    const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_PROF, &often, NULL);
    choose_themselves();
    setitimer(ITIMER_PROF, &never, NULL);
    expect(!wrong_in_handler);
  } else {
    chosen_by_another();
  }
  return verdict("pinned", 1);
}
