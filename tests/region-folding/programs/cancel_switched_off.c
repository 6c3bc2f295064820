// Cancellation constructs while cancellation is off, the default: they do nothing, and their regions fold like others.
// muster-test: folded >= 15
#include "trap.h"

int main(void) {
  settle();
  for (int round = 0; round < 12; ++round) {
    int after = 0;
#pragma omp parallel
    {
#pragma omp cancel parallel if (round > 3)
#pragma omp for
      for (int i = 0; i < 100; ++i) {
#pragma omp cancel for
      }
#pragma omp cancellation point parallel
#pragma omp atomic
      ++after;
    }
    printf("%d\n", after);
  }
  return finish();
}
