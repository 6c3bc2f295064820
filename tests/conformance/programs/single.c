// Single: all threads wait at its end for the one that was slow inside.
// muster-test: replaced >= 32
#include "check.h"

static long value, executions;

int main(void) {
  long long checksum = 0;
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
#pragma omp single  // MUTANT: nowait
    {
      nap(kLateMicroseconds);
      value = mark(round, 7);
      ++executions;
    }
    expect(value == mark(round, 7));
    expect(executions == round + 1);
#pragma omp barrier
  }
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
#pragma omp single nowait
    {
      nap(kLateMicroseconds);
      value = mark(round, 9);
    }
#pragma omp barrier  // MUTANT: remove
    expect(value == mark(round, 9));
#pragma omp barrier
  }
  expect(executions == kRounds);
  checksum = value + executions;
  return verdict("single", checksum);
}
