// What all the programs share: one thread that comes late, an error count, the verdict.
//
// A barrier that lets a thread through early shows only if a teammate is late. So in each round
// another thread sleeps before it writes what the others read after the barrier.
#pragma once

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kMaxThreads = 64, kRounds = 16, kLateMicroseconds = 200 };

static long errors_seen;

static inline void expect(int good) {
  if (!good) __atomic_fetch_add(&errors_seen, 1, __ATOMIC_RELAXED);
}

static inline void nap(int microseconds) {
  struct timespec time = {0, microseconds * 1000L};
  nanosleep(&time, NULL);
}

// Sleeps if it is this thread's turn to be the late one.
static inline void late(int round) {
  if (omp_get_thread_num() == round % omp_get_num_threads()) nap(kLateMicroseconds);
}

// The value that `writer` writes in `round`: never 0, and another one in every round.
static inline long mark(int round, int writer) { return 1 + round * 1000L + writer; }

static inline int verdict(const char* name, long long checksum) {
  if (errors_seen != 0) {
    printf("%s: %ld errors\n", name, errors_seen);
    return 1;
  }
  printf("%s: checksum %lld, ok\n", name, checksum);
  return 0;
}
