// A program that uses PAPI itself.
#include <papi.h>
#include <stdio.h>

int main(void) {
  if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) return 1;
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 100; ++i) {
#pragma omp barrier
  }
  printf("done\n");
  return 0;
}
