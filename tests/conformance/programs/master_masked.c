// Master and masked have no barrier of their own: the explicit one behind them counts.
// muster-test: replaced >= 64
#include "check.h"

static long value;

int main(void) {
  long long checksum = 0;
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
#pragma omp master
    {
      nap(kLateMicroseconds);
      value = mark(round, 0);
    }
#pragma omp barrier  // MUTANT: remove
    expect(value == mark(round, 0));
#pragma omp barrier
#pragma omp masked filter(omp_get_num_threads() - 1)
    {
      nap(kLateMicroseconds);
      value = mark(round, 1);
    }
#pragma omp barrier  // MUTANT: remove
    expect(value == mark(round, 1));
#pragma omp barrier
  }
  checksum = value;
  return verdict("master_masked", checksum);
}
