// asked_sizes: the sizes of regions that ask for 3 threads, alternating with regions that do not ask.
#include "check.h"

static long g_sum;

static int size_of_region(int asked) {
  int size = 0;
  if (asked != 0) {
#pragma omp parallel num_threads(asked) reduction(+ : g_sum)
    {
#pragma omp barrier
      g_sum += omp_get_thread_num();
#pragma omp single
      size = omp_get_num_threads();
    }
  } else {
#pragma omp parallel for reduction(+ : g_sum) schedule(dynamic)
    for (int i = 0; i < 10; ++i) {
      g_sum += i;
#pragma omp atomic write
      size = omp_get_num_threads();
    }
  }
  return size;
}

int main(void) {
  for (int i = 0; i < 3; ++i) printf("%d %d\n", size_of_region(3), size_of_region(3));
  for (int i = 0; i < 3; ++i) printf("%d %d\n", size_of_region(3), size_of_region(0));
  return verdict("asked_sizes", g_sum);
}
