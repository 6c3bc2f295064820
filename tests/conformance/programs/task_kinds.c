// Untied, undeferred, final, mergeable and prioritised tasks at barriers.
// muster-test: reason tasks
#include "check.h"

enum { kKinds = 8 };
static long done[kKinds];

int main(void) {
  long long checksum = 0;
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
#pragma omp single nowait
    {
#pragma omp task untied
      {
        nap(30);
#pragma omp taskyield
        done[0] = mark(round, 0);
      }
#pragma omp task if (0)
      done[1] = mark(round, 1);
#pragma omp task if (round % 2)
      done[2] = mark(round, 2);
#pragma omp task final(1)
      {
        expect(omp_in_final());
#pragma omp task
        done[3] = mark(round, 3);
      }
#pragma omp task mergeable
      done[4] = mark(round, 4);
#pragma omp task priority(10)
      {
        nap(30);
        done[5] = mark(round, 5);
      }
#pragma omp task final(round % 2) mergeable untied
      done[6] = mark(round, 6);
#pragma omp task untied
      {
#pragma omp task untied
        {
          nap(30);
          done[7] = mark(round, 7);
        }
      }
    }
#pragma omp barrier  // MUTANT: remove
    for (int kind = 0; kind < kKinds; ++kind) expect(done[kind] == mark(round, kind));
#pragma omp barrier
  }
  for (int kind = 0; kind < kKinds; ++kind) checksum += done[kind];
  return verdict("task_kinds", checksum);
}
