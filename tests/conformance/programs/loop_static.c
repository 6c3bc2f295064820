// Worksharing loops with static schedules: the implied barrier at their end.
// muster-test: replaced >= 64
#include "check.h"

enum { kItems = 257 };
static long item[kItems];

static void verify(int round) {
  for (int i = 0; i < kItems; ++i) expect(item[i] == mark(round, i));
}

int main(void) {
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
    late(round);
#pragma omp for schedule(static)  // MUTANT: nowait
    for (int i = 0; i < kItems; ++i) item[i] = mark(round, i);
    verify(round);
#pragma omp barrier
    late(round);
#pragma omp for schedule(static, 3)  // MUTANT: nowait
    for (int i = 0; i < kItems; ++i) item[i] = mark(round + 100, i);
    verify(round + 100);
#pragma omp barrier
    late(round);
#pragma omp for simd schedule(static)
    for (int i = 0; i < kItems; ++i) item[i] = mark(round + 200, i);
    verify(round + 200);
#pragma omp barrier
  }
  long long checksum = 0;
  for (int i = 0; i < kItems; ++i) checksum += item[i];
  return verdict("loop_static", checksum);
}
