// Regions that an `if` clause serializes, in turn with regions that it does not.
// muster-test: replaced >= 32
#include "check.h"

static long cell[kMaxThreads];

int main(void) {
  long long checksum = 0;
  for (int round = 0; round < 4 * kRounds; ++round) {
#pragma omp parallel if (round % 3 != 0)
    {
      int me = omp_get_thread_num(), n = omp_get_num_threads();
      expect(round % 3 != 0 || n == 1);
      late(round);
      cell[me] = mark(round, me);
#pragma omp barrier
      for (int i = 0; i < n; ++i) expect(cell[i] == mark(round, i));
#pragma omp barrier
#pragma omp for schedule(dynamic)
      for (int i = 0; i < n; ++i) cell[i] = -round;
      for (int i = 0; i < n; ++i) expect(cell[i] == -round);
    }
    checksum += cell[0];
  }
  return verdict("if_clause", checksum);
}
