// The `loop` construct, bound to a parallel region: it ends with a barrier as `for` does.
// muster-test: replaced >= 32
#include "check.h"

static long item[100];

int main(void) {
  long long checksum = 0;
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
    late(round);
#pragma omp loop bind(parallel)
    for (int i = 0; i < 100; ++i) item[i] = mark(round, i);
    for (int i = 0; i < 100; ++i) expect(item[i] == mark(round, i));
#pragma omp barrier
  }
  checksum = item[99];
  return verdict("loop_construct", checksum);
}
