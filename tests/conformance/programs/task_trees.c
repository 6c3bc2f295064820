// Trees of tasks in one single construct after the other: a thread that leaves a barrier late runs
// tasks of the next construct there, which create tasks.
// muster-test: threads 5
// muster-test: reason tasks
// muster-test: replaced >= 50
#include "check.h"

enum { kTrees = 120, kDepth = 3 };

static long tree(int depth) {
  if (depth == 0) {
    nap(1);
    return 1;
  }
  long left = 0, right = 0;
#pragma omp task shared(left)
  left = tree(depth - 1);
#pragma omp task shared(right)
  right = tree(depth - 1);
#pragma omp taskwait
  return left + right;
}

int main(void) {
  long leaves = 0;
#pragma omp parallel num_threads(5)
  {
    for (int round = 0; round < kTrees; ++round) {
#pragma omp single
      leaves += tree(kDepth);
    }
    for (int round = 0; round < kRounds; ++round) {
#pragma omp barrier
    }
  }
  expect(leaves == (long)kTrees << kDepth);
  return verdict("task_trees", leaves);
}
