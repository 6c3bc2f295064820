// Nested regions of which some levels are serialized: their barriers belong to a team of one.
// muster-test: env OMP_MAX_ACTIVE_LEVELS=1
// muster-test: replaced >= 32
// muster-test: reason serialized|team of one
#include "check.h"

static long cell[kMaxThreads];

int main(void) {
  long long checksum = 0;
#pragma omp parallel
  {
    int me = omp_get_thread_num(), n = omp_get_num_threads();
    for (int round = 0; round < kRounds; ++round) {
      late(round);
#pragma omp parallel num_threads(3)
      {
        expect(omp_get_num_threads() == 1 && omp_get_thread_num() == 0);
#pragma omp barrier
#pragma omp parallel if (0)
        {
          expect(omp_get_level() == 3);
#pragma omp barrier
#pragma omp for
          for (int i = 0; i < 3; ++i) cell[me] = mark(round, me);
        }
#pragma omp barrier
      }
#pragma omp barrier
      for (int i = 0; i < n; ++i) expect(cell[i] == mark(round, i));
#pragma omp barrier
    }
  }
  checksum = cell[0];
  return verdict("nested_serialized", checksum);
}
