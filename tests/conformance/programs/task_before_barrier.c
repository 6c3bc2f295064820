// Every thread creates tasks just before a barrier; all of them are done right behind it. In the
// odd rounds only one thread does, and it comes last: the others wait already when it creates them.
// muster-test: reason tasks
#include "check.h"

enum { kTasks = 6 };
static long result[kMaxThreads][kTasks];

int main(void) {
  long long checksum = 0;
#pragma omp parallel
  {
    int me = omp_get_thread_num(), n = omp_get_num_threads();
    for (int round = 0; round < 2 * kRounds; ++round) {
      int odd = round & 1, creator = (round / 2) % n;
      late(round / 2);
      if (!odd || me == creator) {
        for (int i = 0; i < kTasks; ++i) {
#pragma omp task firstprivate(i, me, round)
          {
            if (i == 0) nap(30);
            result[me][i] = mark(round, i);
          }
        }
      }
#pragma omp barrier  // MUTANT: remove
      for (int thread = 0; thread < n; ++thread) {
        if (odd && thread != creator) continue;
        for (int i = 0; i < kTasks; ++i) expect(result[thread][i] == mark(round, i));
      }
#pragma omp barrier
    }
  }
  for (int i = 0; i < kTasks; ++i) checksum += result[0][i];
  return verdict("task_before_barrier", checksum);
}
