// Tasks created inside a single are run, by any thread, before its end.
// muster-test: reason tasks
#include "check.h"

enum { kTasks = 40 };
static long result[kTasks];

int main(void) {
  long long checksum = 0;
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
#pragma omp single  // MUTANT: nowait
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task firstprivate(i)
      {
        if (i % 10 == 0) nap(50);
        result[i] = mark(round, i);
      }
    }
    for (int i = 0; i < kTasks; ++i) expect(result[i] == mark(round, i));
#pragma omp barrier
  }
  for (int i = 0; i < kTasks; ++i) checksum += result[i];
  return verdict("task_single", checksum);
}
