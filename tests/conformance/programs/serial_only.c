// Barriers that only ever meet teams of one: there is nothing to replace.
// muster-test: no-replacement
#include "check.h"

int main(void) {
  long count = 0;
  for (int round = 0; round < kRounds; ++round) {
#pragma omp parallel num_threads(1)
    {
#pragma omp barrier
      ++count;
#pragma omp for
      for (int i = 0; i < 3; ++i) ++count;
#pragma omp single
      ++count;
    }
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < 3; ++i) ++count;
  }
  expect(count == 8 * kRounds);
  return verdict("serial_only", count);
}
