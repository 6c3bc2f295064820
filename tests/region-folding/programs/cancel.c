// Cancellation: with it, Muster leaves everything to the runtime.
// muster-test: env OMP_CANCELLATION=true
// muster-test: inactive cancellation
#include "trap.h"

static int region(int round) {
  int size = 0, after = 0;
#pragma omp parallel
  {
#pragma omp master
    size = omp_get_num_threads();
#pragma omp barrier
    if (round % 3 == 0) {
#pragma omp cancel parallel
    }
#pragma omp for
    for (int i = 0; i < 100; ++i) {
      if (round % 3 == 1) {
#pragma omp cancel for
      }
    }
#pragma omp atomic
    ++after;
  }
  return 10 * size + after;
}

int main(void) {
  settle();
  for (int round = 0; round < 12; ++round) {
    printf("round %d: %d\n", round, region(round));
    if (round % 4 == 0) settle();
  }
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  for (int i = 0; i < 10; ++i) {
#pragma omp task
    {
#pragma omp cancel taskgroup
    }
  }
  return finish();
}
