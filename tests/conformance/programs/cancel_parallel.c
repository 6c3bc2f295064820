// Cancellation of parallel regions, switched on: barriers are cancellation points.
//
// No barrier comes right before the `cancel`: a teammate still leaving it would take the
// cancellation for that barrier's own, and libomp hangs (14 to 21).
// muster-test: env OMP_CANCELLATION=true
// muster-test: cancellation
#include "check.h"

static long before[kMaxThreads], reached;

int main(void) {
  long long checksum = 0;
  expect(omp_get_cancellation());
  for (int round = 0; round < kRounds; ++round) {
    reached = 0;
#pragma omp parallel
    {
      int me = omp_get_thread_num(), n = omp_get_num_threads();
      late(round);
      before[me] = mark(round, me);
      if (me == round % n) {
#pragma omp cancel parallel
      }
#pragma omp barrier
#pragma omp atomic
      ++reached;  // cancelled: no thread gets here
    }
    expect(reached == 0);
#pragma omp parallel
    {
      int me = omp_get_thread_num(), n = omp_get_num_threads();
      late(round);
      for (int i = 0; i < n; ++i) expect(before[i] == mark(round, i));
#pragma omp barrier
      before[me] = -round;
#pragma omp barrier
      for (int i = 0; i < n; ++i) expect(before[i] == -round);
    }
    checksum += before[0];
  }
  return verdict("cancel_parallel", checksum);
}
