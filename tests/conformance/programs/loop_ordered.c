// Ordered loops, by thread and by dependences between iterations (doacross).
// muster-test: replaced >= 32
// muster-test: race grid[i][j]: Archer does not know the order of doacross loops
#include "check.h"

enum { kItems = 48, kSide = 12 };
static long order[kItems];
static int filled;
static long grid[kSide][kSide];

int main(void) {
  long long checksum = 0;
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
#pragma omp single
    filled = 0;
    late(round);
#pragma omp for ordered schedule(dynamic, 2)
    for (int i = 0; i < kItems; ++i) {
#pragma omp ordered
      order[filled++] = mark(round, i);
    }
    expect(filled == kItems);
    for (int i = 0; i < kItems; ++i) expect(order[i] == mark(round, i));
#pragma omp barrier
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < kItems; ++i) {
      if (i == round) nap(50);
#pragma omp ordered
      order[i] = i == 0 ? round : order[i - 1] + i;
    }
    expect(order[kItems - 1] == round + kItems * (kItems - 1) / 2);
#pragma omp barrier
#pragma omp for ordered(2) schedule(static, 1)
    for (int i = 1; i < kSide; ++i) {
      for (int j = 1; j < kSide; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
        grid[i][j] = 1 + grid[i - 1][j] % 1000003 + grid[i][j - 1] % 1000003;
#pragma omp ordered depend(source)
      }
    }
#pragma omp barrier
  }
  for (int i = 1; i < kSide; ++i) {
    for (int j = 1; j < kSide; ++j) {
      expect(grid[i][j] == 1 + grid[i - 1][j] % 1000003 + grid[i][j - 1] % 1000003);
    }
  }
  checksum = grid[kSide - 1][kSide - 1] + order[kItems - 1];
  return verdict("loop_ordered", checksum);
}
