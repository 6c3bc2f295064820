// Tasks with dependences, across the threads of a region and left to its end; task reductions.
// muster-test: folded >= 30
#include "trap.h"

static long chain[8], total;

static void left_to_the_end(void) {
#pragma omp parallel
#pragma omp single nowait
  for (int step = 0; step < 5; ++step) {
    for (int i = 1; i < 8; ++i) {
#pragma omp task depend(in : chain[i - 1]) depend(inout : chain[i])
      chain[i] = (chain[i] + chain[i - 1]) % 1000003 + 1;
    }
  }
}

static void reduced(void) {
#pragma omp parallel reduction(task, + : total)
#pragma omp single
  for (int i = 0; i < 20; ++i) {
#pragma omp task in_reduction(+ : total)
    total += i;
  }
}

static void grouped(void) {
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : total)
  for (int i = 0; i < 20; ++i) {
#pragma omp task in_reduction(+ : total)
    total += i;
  }
}

int main(void) {
  settle();
  for (int round = 0; round < 8; ++round) {
    left_to_the_end();
    printf("%ld, %ld\n", chain[7], regions(2));
    reduced();
    grouped();
    printf("total %ld, %ld\n", total, regions(2));
  }
  return finish();
}
