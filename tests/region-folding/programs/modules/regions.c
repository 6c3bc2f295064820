// A module with a region of its own, opened and closed by the program.
#include <omp.h>

int module_regions(int count);

int module_regions(int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) {
#pragma omp parallel reduction(+ : sum)
    sum += omp_get_thread_num() + 1;
  }
  return sum;
}
