// Sections, with and without their barrier.
// muster-test: replaced >= 32
#include "check.h"

static long part[5];

int main(void) {
  long long checksum = 0;
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
#pragma omp sections  // MUTANT: nowait
    {
      part[0] = mark(round, 0);
#pragma omp section
      {
        nap(kLateMicroseconds);
        part[1] = mark(round, 1);
      }
#pragma omp section
      part[2] = mark(round, 2);
#pragma omp section
      {
        nap(kLateMicroseconds);
        part[3] = mark(round, 3);
      }
#pragma omp section
      part[4] = mark(round, 4);
    }
    for (int i = 0; i < 5; ++i) expect(part[i] == mark(round, i));
#pragma omp barrier
#pragma omp sections nowait
    {
#pragma omp section
      part[0] = -round;
#pragma omp section
      {
        nap(kLateMicroseconds);
        part[1] = -round;
      }
    }
#pragma omp barrier  // MUTANT: remove
    expect(part[0] == -round && part[1] == -round);
#pragma omp barrier
  }
  for (int i = 0; i < 5; ++i) checksum += part[i];
#pragma omp parallel sections reduction(+ : checksum)
  {
#pragma omp section
    checksum += 10;
#pragma omp section
    checksum += 20;
  }
  return verdict("sections", checksum);
}
