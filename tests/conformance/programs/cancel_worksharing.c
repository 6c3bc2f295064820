// Cancellation of loops and sections, switched on. A few rounds only and no dynamic schedule: a
// loop that was cancelled leaves one of libomp's seven dispatch buffers taken.
// muster-test: env OMP_CANCELLATION=true
// muster-test: cancellation
#include "check.h"

enum { kFew = 5 };
static long cell[kMaxThreads], found;

int main(void) {
  long long checksum = 0;
#pragma omp parallel
  {
    int me = omp_get_thread_num(), n = omp_get_num_threads();
    for (int round = 0; round < kFew; ++round) {
#pragma omp single
      found = -1;
#pragma omp for schedule(static)
      for (int i = 0; i < 200; ++i) {
        if (i == 100 + round) {
          found = i;
#pragma omp cancel for
          found = -2;  // cancelled before
        }
#pragma omp cancellation point for
      }
      expect(found == 100 + round);
#pragma omp barrier
#pragma omp sections
      {
#pragma omp section
        {
          found = mark(round, 1);
#pragma omp cancel sections
          found = -2;  // cancelled before
        }
#pragma omp section
        {
#pragma omp cancellation point sections
        }
      }
      expect(found == mark(round, 1));
#pragma omp barrier
      late(round);
      cell[me] = mark(round, me);
#pragma omp barrier
      for (int i = 0; i < n; ++i) expect(cell[i] == mark(round, i));
#pragma omp barrier
    }
  }
  checksum = found + cell[0];
  return verdict("cancel_worksharing", checksum);
}
