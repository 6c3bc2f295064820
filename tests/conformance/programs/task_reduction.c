// Reductions over tasks: taskgroup with task_reduction and in_reduction, and the task modifier on
// `parallel` and `for`.
#include "check.h"

int main(void) {
  long long checksum = 0;
  for (int round = 0; round < kRounds; ++round) {
    long sum = 0, product = 0;
#pragma omp parallel
    {
#pragma omp single
      {
#pragma omp taskgroup task_reduction(+ : sum)
        {
          for (int i = 1; i <= 30; ++i) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
            sum += i;
          }
        }
        expect(sum == 465);
      }
      expect(sum == 465);
#pragma omp barrier
    }
#pragma omp parallel reduction(task, + : product)
    {
      product += 1;
#pragma omp single
      for (int i = 0; i < 10; ++i) {
#pragma omp task in_reduction(+ : product)
        product += 100;
      }
#pragma omp barrier
    }
    expect(product == 1000 + omp_get_max_threads());
    long looped = 0;
#pragma omp parallel
    {
#pragma omp for reduction(task, + : looped) schedule(static)
      for (int i = 0; i < 20; ++i) {
        looped += 1;
#pragma omp task in_reduction(+ : looped)
        looped += 10;
      }
      expect(looped == 220);
#pragma omp barrier
    }
    checksum += sum + product + looped;
  }
  return verdict("task_reduction", checksum);
}
