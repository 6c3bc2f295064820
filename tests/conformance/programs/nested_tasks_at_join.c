// Tasks that are left to the join of a nested region and create tasks there: the thread is past the nested region's
// code by then and not yet back in the outer one's, whose first barrier is still to come.
// muster-test: env OMP_MAX_ACTIVE_LEVELS=2
// muster-test: threads 8
// muster-test: replaced >= 60
// muster-test: skip * libomp14: stock crashes in one to two of a hundred runs
// muster-test: skip * libomp16: stock crashes in one to two of a hundred runs
#include "check.h"

enum { kOuter = 3, kTasks = 12, kTimes = 10 };

static long cells[kOuter];

static void count_by_tasks(long* count, int depth) {
#pragma omp atomic
  ++*count;
  if (depth == 0) return;
#pragma omp task firstprivate(count, depth)
  count_by_tasks(count, depth - 1);
}

int main(void) {
  long long checksum = 0;
  for (int round = 0; round < kTimes; ++round) {
#pragma omp parallel num_threads(kOuter)
    {
      const int me = omp_get_thread_num();
      long count = 0;
#pragma omp parallel num_threads(2) shared(count)
      {
#pragma omp master
        for (int i = 0; i < kTasks; ++i) {
          long* its_count = &count;
#pragma omp task firstprivate(its_count)
          count_by_tasks(its_count, 2);
        }
      }
      expect(count == 3 * kTasks);
      late(round);
      cells[me] = mark(round, me);
#pragma omp barrier
      for (int i = 0; i < kOuter; ++i) expect(cells[i] == mark(round, i));
#pragma omp barrier
      cells[(me + 1) % kOuter] = count;
#pragma omp barrier
      expect(cells[me] == 3 * kTasks);
    }
    checksum += cells[0];
  }
  return verdict("nested_tasks_at_join", checksum);
}
