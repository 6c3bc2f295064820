// Several loops without their barriers, then one explicit barrier for all of them.
// muster-test: replaced >= 32
#include "check.h"

enum { kItems = 100 };
static long a[kItems], b[kItems], c[kItems];

int main(void) {
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
    late(round);
#pragma omp for schedule(static) nowait
    for (int i = 0; i < kItems; ++i) a[i] = mark(round, i);
#pragma omp for schedule(dynamic, 3) nowait
    for (int i = 0; i < kItems; ++i) b[i] = mark(round, i) * 2;
    late(round);
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < kItems; ++i) c[i] = mark(round, i) * 3;
#pragma omp barrier  // MUTANT: remove
    for (int i = 0; i < kItems; ++i) {
      expect(a[i] == mark(round, i));
      expect(b[i] == mark(round, i) * 2);
      expect(c[i] == mark(round, i) * 3);
    }
#pragma omp barrier
  }
  long long checksum = 0;
  for (int i = 0; i < kItems; ++i) checksum += a[i] + b[i] + c[i];
  return verdict("loop_nowait", checksum);
}
