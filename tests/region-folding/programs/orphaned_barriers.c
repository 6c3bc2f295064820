// Barriers in the serial part, as libraries have them that may be called in a region or outside of one: the team is one
// thread, so they wait for nobody, and the fold stays open. With a task that the runtime finishes there they are real.
// muster-test: folded >= 60
// muster-test: closed "runtime call" >= 6
// muster-test: opened <= 12
// muster-test: auto
// muster-test: auto folded >= 40
#include "trap.h"

static long before[kMostThreads], wrong, done;

// In a region every thread has written before any goes on.
__attribute__((noinline)) static void orphaned(long round) {
  before[omp_get_thread_num()] = round;
#pragma omp barrier
  for (int t = 0; t < omp_get_num_threads(); ++t)
    if (before[t] != round) __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
#pragma omp barrier
}

__attribute__((noinline)) static void task_before_barrier(void) {
#pragma omp task
  __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
#pragma omp barrier
}

static void rounds(int count) {
  for (int i = 1; i <= count; ++i) {
    orphaned(i);
#pragma omp parallel
    orphaned(1000 + i);
    orphaned(2000 + i);
  }
}

int main(void) {
  settle();
  rounds(40);
  for (int i = 0; i < 3; ++i) {
    task_before_barrier();
    printf("tasks done: %ld\n", done);
    regions(5);
  }
  rounds(5);
  printf("wrong: %ld\n", wrong);
  return finish();
}
