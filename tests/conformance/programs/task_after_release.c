// A thread creates tasks the moment it is released, while teammates are still leaving the same
// barrier. Those tasks belong to the next instance. Between two such barriers is one without tasks.
// muster-test: reason tasks
#include "check.h"

enum { kLong = 300 };
static long result[kLong][kMaxThreads];

int main(void) {
  long long checksum = 0;
#pragma omp parallel
  {
    int me = omp_get_thread_num(), n = omp_get_num_threads();
    for (int round = 0; round < kLong; ++round) {
#pragma omp barrier
      // Nothing between the release and the creation, and the creator changes.
      if (me == round % n || round % 7 == 0) {
#pragma omp task firstprivate(round, me)
        result[round][me] = mark(round, me);
      }
#pragma omp barrier
      for (int thread = 0; thread < n; ++thread) {
        if (thread == round % n || round % 7 == 0) {
          expect(result[round][thread] == mark(round, thread));
        }
      }
    }
  }
  for (int round = 0; round < kLong; ++round) checksum += result[round][0];
  return verdict("task_after_release", checksum);
}
