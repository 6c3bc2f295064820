// Barriers and worksharing in functions that are called inside and outside of parallel regions.
// muster-test: replaced >= 64
#include "check.h"

static long item[50], value;

static void work(int round) {
  late(round);
#pragma omp for schedule(dynamic, 2)
  for (int i = 0; i < 50; ++i) item[i] = mark(round, i);
  for (int i = 0; i < 50; ++i) expect(item[i] == mark(round, i));
#pragma omp barrier
#pragma omp single
  value = mark(round, 3);
  expect(value == mark(round, 3));
#pragma omp barrier
#pragma omp sections
  {
#pragma omp section
    item[0] = -round;
#pragma omp section
    item[1] = -round;
  }
  expect(item[0] == -round && item[1] == -round);
#pragma omp barrier
}

int main(void) {
  long long checksum = 0;
  for (int round = 0; round < kRounds; ++round) {
    work(round);
#pragma omp parallel
    {
      work(round + 100);
      work(round + 200);
    }
    work(round + 300);
    checksum += value;
  }
  return verdict("orphaned", checksum);
}
