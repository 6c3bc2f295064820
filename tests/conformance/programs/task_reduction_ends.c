// Constructs with a task reduction, in a row: libgomp ends them by an entry point of their own, which is a barrier. Some
// rounds create no tasks: their barriers are replaced.
// muster-test: replaced >= 32
// muster-test: reason task
#include "check.h"

static long cell[kMaxThreads];

int main(void) {
  long long checksum = 0;
  long looped = 0, sectioned = 0, dynamic = 0;
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
    const int me = omp_get_thread_num(), n = omp_get_num_threads(), tasks = round % 2;
#pragma omp single
    looped = sectioned = dynamic = 0;
    late(round);
    cell[me] = mark(round, me);
#pragma omp for reduction(task, + : looped) schedule(static, 1)
    for (int i = 0; i < 4 * n; ++i) {
      looped += 1;
      if (tasks) {
#pragma omp task in_reduction(+ : looped)
        looped += 10;
      }
    }
    expect(looped == 4L * n * (tasks ? 11 : 1));
    for (int i = 0; i < n; ++i) expect(cell[i] == mark(round, i));
#pragma omp barrier
    late(round + 1);
    cell[me] = -mark(round, me);
#pragma omp sections reduction(task, + : sectioned)
    {
#pragma omp section
      sectioned += 1;
#pragma omp section
      {
        sectioned += 2;
        if (tasks) {
#pragma omp task in_reduction(+ : sectioned)
          sectioned += 40;
        }
      }
    }
    expect(sectioned == (tasks ? 43 : 3));
    for (int i = 0; i < n; ++i) expect(cell[i] == -mark(round, i));
#pragma omp barrier
#pragma omp for reduction(task, + : dynamic) schedule(dynamic)
    for (int i = 0; i < 20; ++i) {
      dynamic += i;
      if (tasks && i % 5 == 0) {
#pragma omp task in_reduction(+ : dynamic)
        dynamic += 100;
      }
    }
    expect(dynamic == 190 + (tasks ? 400 : 0));
#pragma omp barrier
#pragma omp master
    checksum += looped + sectioned + dynamic;
#pragma omp barrier
  }
  for (int round = 0; round < kRounds; ++round) {
    long total = 0;
#pragma omp parallel reduction(task, + : total)
    {
      const int me = omp_get_thread_num(), n = omp_get_num_threads();
      late(round);
      cell[me] = mark(round, me);
#pragma omp barrier
      for (int i = 0; i < n; ++i) expect(cell[i] == mark(round, i));
      total += 1;
      if (me == round % n && round % 2) {
#pragma omp task in_reduction(+ : total)
        total += 1000;
      }
#pragma omp barrier
    }
    expect(total == omp_get_max_threads() + (round % 2 ? 1000 : 0));
    checksum += total;
  }
  return verdict("task_reduction_ends", checksum);
}
