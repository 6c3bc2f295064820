// Cancellation constructs with cancellation off, the default: they do nothing, the barriers stay.
// muster-test: env OMP_CANCELLATION=false
// muster-test: replaced >= 32
#include "check.h"

static long cell[kMaxThreads], item[100], done, parts[2];

int main(void) {
  long long checksum = 0;
  expect(!omp_get_cancellation());
  for (int round = 0; round < kRounds; ++round) {
    done = 0;
#pragma omp parallel
    {
      int me = omp_get_thread_num(), n = omp_get_num_threads();
      late(round);
      cell[me] = mark(round, me);
      if (me == round % n) {
#pragma omp cancel parallel
      }
#pragma omp barrier  // MUTANT: remove
      for (int i = 0; i < n; ++i) expect(cell[i] == mark(round, i));
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 100; ++i) {
        if (i == 50) {
#pragma omp cancel for
        }
        item[i] = mark(round, i);
      }
      for (int i = 0; i < 100; ++i) expect(item[i] == mark(round, i));
#pragma omp sections
      {
#pragma omp section
        {
#pragma omp cancel sections
          parts[0] = mark(round, 0);
        }
#pragma omp section
        {
          nap(50);
          parts[1] = mark(round, 1);
        }
      }
      expect(parts[0] == mark(round, 0) && parts[1] == mark(round, 1));
#pragma omp cancellation point parallel
#pragma omp atomic
      ++done;
#pragma omp barrier
      expect(done == n);
    }
    checksum += cell[0] + done;
  }
  return verdict("cancel_off", checksum);
}
