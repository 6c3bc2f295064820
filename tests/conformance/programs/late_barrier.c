// Regions that meet no barrier for long and then do: barriers, single, reductions, tasks, nested regions.
// They get no team of Muster's while they are quiet, so the first late barrier is the runtime's, for all
// threads alike, and those after it are Muster's.
// muster-test: replaced >= 100
// muster-test: reason no region
#include "check.h"

enum { kQuiet = 30, kLoud = 30, kMost = kMaxThreads };

static int cell[kMost];

// Each thread reads its neighbour's value from before the barrier.
static void exchange(int round) {
  int me = omp_get_thread_num(), size = omp_get_num_threads();
  late(round);
  cell[me] = round * 1000 + me;
#pragma omp barrier
  expect(cell[(me + 1) % size] == round * 1000 + (me + 1) % size);
#pragma omp barrier
}

static void barriers(int round) {
  int count = 0;
#pragma omp parallel proc_bind(close) reduction(+ : count)
  {
    ++count;
    if (round >= kQuiet) exchange(round);
  }
  expect(count == omp_get_max_threads());
}

// Loud now and then: once it has been, it has a team for good.
static void now_and_then(int round) {
#pragma omp parallel proc_bind(close)
  if (round % 20 == 19) exchange(round);
}

static void singles(int round) {
  int seen[kMost] = {0};
#pragma omp parallel proc_bind(close)
  if (round >= kQuiet) {
    int value = -1;
#pragma omp single copyprivate(value)
    value = round;
    seen[omp_get_thread_num()] = value;
  }
  for (int i = 0; i < omp_get_max_threads(); ++i) expect(seen[i] == (round >= kQuiet ? round : 0));
}

static void tasks(int round) {
  int done = 0, sum = 0;
#pragma omp parallel proc_bind(close)
  {
    for (int i = 0; i < 3; ++i) {
#pragma omp task shared(done)
#pragma omp atomic
      ++done;
    }
    if (round >= kQuiet) {
#pragma omp barrier
#pragma omp atomic
      sum += done == 3 * omp_get_num_threads();
    }
  }
  expect(done == 3 * omp_get_max_threads());
  expect(sum == (round >= kQuiet ? omp_get_max_threads() : 0));
}

// The inner regions have barriers from the beginning, in teams of their own.
static void nested(int round) {
  int wrong = 0;
#pragma omp parallel num_threads(2) proc_bind(close)
  {
    int inner[2][2] = {{0}};
#pragma omp parallel num_threads(2) shared(inner)
    {
      int me = omp_get_thread_num();
      inner[0][me] = round + me;
#pragma omp barrier
      inner[1][me] = inner[0][omp_get_num_threads() - 1 - me];
    }
    if (inner[1][0] < round) {
#pragma omp atomic
      ++wrong;
    }
    if (round >= kQuiet) exchange(round);
  }
  expect(wrong == 0);
}

int main(void) {
  long long checksum = 0;
  omp_set_max_active_levels(2);
  for (int round = 0; round < kQuiet + kLoud; ++round) {
    barriers(round);
    now_and_then(round);
    singles(round);
    tasks(round);
    nested(round);
    checksum += round;
  }
  return verdict("late_barrier", checksum);
}
