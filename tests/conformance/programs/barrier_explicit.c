// Explicit barriers: each thread reads what all its teammates wrote before the barrier.
// muster-test: replaced >= 64
#include "check.h"

static long cell[kMaxThreads];

int main(void) {
  long long checksum = 0;
#pragma omp parallel reduction(+ : checksum)
  {
    int me = omp_get_thread_num(), n = omp_get_num_threads();
    for (int round = 0; round < kRounds; ++round) {
      late(round);
      cell[me] = mark(round, me);
#pragma omp barrier  // MUTANT: remove
      for (int i = 0; i < n; ++i) {
        expect(cell[i] == mark(round, i));
        if (me == 0) checksum += cell[i];
      }
      late(round + 1);
#pragma omp barrier  // MUTANT: remove
    }
  }
  return verdict("barrier_explicit", checksum);
}
