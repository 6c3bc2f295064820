// A team of two that meets at 1,000 barriers, between which each thread reads what the other wrote.
#include <omp.h>
#include <stdio.h>

enum { kBarriers = 1000 };

int main(void) {
  static long written[2][2];
  long sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
    const int me = omp_get_thread_num();
    for (int i = 0; i < kBarriers; ++i) {
      written[i & 1][me] = i;
#pragma omp barrier
      sum += written[i & 1][1 - me];
    }
  }
  printf("sum %ld\n", sum);
  return 0;
}
