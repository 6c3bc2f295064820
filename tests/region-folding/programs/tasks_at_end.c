// Tasks that a region leaves to its end: the join must finish them all, and all threads take part.
// muster-test: folded >= 30
// muster-test: auto
#include "trap.h"

static long sum;

static void left_by_all(int each) {
#pragma omp parallel
  for (int i = 0; i < each; ++i) {
#pragma omp task
    {
      __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
#pragma omp task
      __atomic_fetch_add(&sum, 100, __ATOMIC_RELAXED);
    }
  }
}

// The tasks need each other's threads: none may have left the region.
static void left_by_one(int who) {
  int started = 0;
#pragma omp parallel
  if (omp_get_thread_num() == who) {
    for (int i = 0; i < 2; ++i) {
#pragma omp task shared(started)
      {
        __atomic_fetch_add(&started, 1, __ATOMIC_RELAXED);
        while (__atomic_load_n(&started, __ATOMIC_RELAXED) < 2) {
        }
      }
    }
  }
  printf("%d started by %d\n", started, who);
}

static void single_nowait(void) {
#pragma omp parallel
#pragma omp single nowait
  for (int i = 0; i < 50; ++i) {
#pragma omp task
    __atomic_fetch_add(&sum, i, __ATOMIC_RELAXED);
  }
}

int main(void) {
  settle();
  for (int round = 0; round < 10; ++round) {
    left_by_all(round);
    printf("sum %ld\n", sum);
    if (round % 3 == 0) settle();
    left_by_one(round % 4);
    single_nowait();
    printf("sum %ld; %ld\n", sum, regions(round));
  }
  for (int round = 0; round < 100; ++round) left_by_all(round % 2);
  printf("sum %ld\n", sum);
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1)
  for (int i = 0; i < 100; ++i) __atomic_fetch_add(&sum, i, __ATOMIC_RELAXED);
  printf("sum %ld\n", sum);
  return finish();
}
