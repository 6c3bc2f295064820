// Cancellation constructs where it is off, as it is by default: in regions they do nothing, and they
// fold as others do.
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
