// Taskloops: grainsize, num_tasks, nogroup (the barrier finishes them), collapse, reduction.
// muster-test: reason tasks
#include "check.h"

enum { kItems = 120 };
static long item[kItems];

static void verify(int round) {
  for (int i = 0; i < kItems; ++i) expect(item[i] == mark(round, i));
}

int main(void) {
  long long checksum = 0;
  long sum = 0;
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
#pragma omp single
#pragma omp taskloop grainsize(7)
    for (int i = 0; i < kItems; ++i) item[i] = mark(round, i);
    verify(round);
#pragma omp barrier
#pragma omp single
    {
#pragma omp taskloop num_tasks(5) nogroup
      for (int i = 0; i < kItems; ++i) {
        if (i == 5) nap(50);
        item[i] = mark(round + 100, i);
      }
    }
    verify(round + 100);
#pragma omp barrier
    if (omp_get_thread_num() == omp_get_num_threads() - 1) {
#pragma omp taskloop collapse(2) nogroup untied
      for (int i = 0; i < kItems / 10; ++i) {
        for (int j = 0; j < 10; ++j) item[i * 10 + j] = mark(round + 200, i * 10 + j);
      }
    }
#pragma omp barrier  // MUTANT: remove
    verify(round + 200);
#pragma omp barrier
#pragma omp single
    {
      sum = 0;
#pragma omp taskloop reduction(+ : sum) num_tasks(6)
      for (int i = 0; i < kItems; ++i) sum += i;
    }
    expect(sum == kItems * (kItems - 1L) / 2);
#pragma omp barrier
  }
  for (int i = 0; i < kItems; ++i) checksum += item[i];
  return verdict("taskloop", checksum + sum);
}
