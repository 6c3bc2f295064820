// Cancellation of task groups, switched on; tasks that were not cancelled end at the barrier.
// muster-test: env OMP_CANCELLATION=true
// muster-test: cancellation
#include "check.h"

static long kept, cell[kMaxThreads];

int main(void) {
  long long checksum = 0;
#pragma omp parallel
  {
    int me = omp_get_thread_num(), n = omp_get_num_threads();
    for (int round = 0; round < kRounds; ++round) {
#pragma omp single
      {
        kept = 0;
#pragma omp taskgroup
        for (int i = 0; i < 20; ++i) {
#pragma omp task
          {
#pragma omp cancel taskgroup
            kept = -1000;  // cancelled before
          }
        }
        for (int i = 0; i < 10; ++i) {
#pragma omp task
          {
#pragma omp atomic
            ++kept;
          }
        }
      }
      expect(kept == 10);
      late(round);
      cell[me] = mark(round, me);
#pragma omp barrier
      for (int i = 0; i < n; ++i) expect(cell[i] == mark(round, i));
#pragma omp barrier
    }
  }
  checksum = kept + cell[0];
  return verdict("cancel_taskgroup", checksum);
}
