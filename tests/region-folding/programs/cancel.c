// Cancellation: with it, Muster leaves everything to the runtime.
// muster-test: env OMP_CANCELLATION=true
// muster-test: inactive cancellation
#include "trap.h"

// libomp hangs now and then where a barrier comes before a `cancel parallel`, or a loop after one.
static int region(int round) {
  int after = 0;
#pragma omp parallel
  {
    if (round % 3 == 0) {
#pragma omp cancel parallel
    }
#pragma omp atomic
    ++after;
  }
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < 100; ++i) {
      if (i == 50 && round % 3 == 1) {
#pragma omp cancel for
      }
    }
#pragma omp atomic
    ++after;
  }
  return after;
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
