// Only undeferred tasks, run on the spot: whichever way the barriers go, nothing may be lost.
#include "check.h"

static long cell[kMaxThreads];

int main(void) {
  long long checksum = 0;
#pragma omp parallel
  {
    int me = omp_get_thread_num(), n = omp_get_num_threads();
    for (int round = 0; round < kRounds; ++round) {
      late(round);
#pragma omp task if (0)
      cell[me] = mark(round, me);
#pragma omp barrier
      for (int i = 0; i < n; ++i) expect(cell[i] == mark(round, i));
#pragma omp barrier
    }
#pragma omp barrier
  }
  checksum = cell[0];
  return verdict("task_undeferred", checksum);
}
