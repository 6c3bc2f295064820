// Tasks with dependences: a wavefront over a grid, then mutexinoutset and inoutset.
// muster-test: reason tasks
#include "check.h"

enum { kSide = 8 };
static long grid[kSide + 1][kSide + 1];
static long shared_sum;

int main(void) {
  long long checksum = 0;
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
#pragma omp single
    {
      shared_sum = 0;
      grid[0][0] = round;
      for (int i = 1; i <= kSide; ++i) {
        for (int j = 1; j <= kSide; ++j) {
#pragma omp task firstprivate(i, j) depend(in : grid[i - 1][j], grid[i][j - 1]) \
    depend(out : grid[i][j])
          grid[i][j] = 1 + round + grid[i - 1][j] % 10007 + grid[i][j - 1] % 10007;
        }
      }
      for (int i = 0; i < 4; ++i) {
#pragma omp task firstprivate(i) depend(mutexinoutset : shared_sum)
        shared_sum += i;
      }
    }
    expect(shared_sum == 6);
    for (int i = 1; i <= kSide; ++i) {
      for (int j = 1; j <= kSide; ++j) {
        expect(grid[i][j] == 1 + round + grid[i - 1][j] % 10007 + grid[i][j - 1] % 10007);
      }
    }
#pragma omp barrier
  }
  checksum = grid[kSide][kSide];
  return verdict("task_depend", checksum);
}
