// Target regions on the host, in the serial part and in regions, waited for and not.
// muster-test: env OMP_TARGET_OFFLOAD=disabled
// muster-test: folded >= 15
// muster-test: skip gcc: the GOMP layer of libomp has no GOMP_target_ext
// muster-test: skip gnu: the same
// muster-test: skip any libomp14: it hangs in a `target nowait` of a region
// muster-test: skip any libomp16: the same
#include "trap.h"

int main(void) {
  settle();
  for (int round = 0; round < 5; ++round) {
    long value = round, other = 0;
    int level = -1, size = -1;
#pragma omp target map(tofrom : value, level, size)
    {
      value += 10;
      level = omp_get_level();
      size = omp_get_num_threads();
    }
    printf("%ld, level %d, %d threads; %ld\n", value, level, size, regions(3));
#pragma omp target map(tofrom : value, size)
    {
#pragma omp parallel
#pragma omp master
      size = omp_get_num_threads();
    }
    printf("%d threads; %ld\n", size, regions(3));
    if (!on_libgomp()) {  // after one in the serial part its regions hang now and then
#pragma omp target nowait map(tofrom : other)
      other += 5;
#pragma omp taskwait
    }
    printf("%ld; %ld\n", other, regions(3));
#pragma omp parallel
#pragma omp single
#pragma omp target nowait map(tofrom : other)
    other += 5;
    printf("%ld; %ld\n", other, regions(3));
#pragma omp target teams distribute parallel for map(tofrom : other) reduction(+ : other)
    for (int i = 0; i < 10; ++i) other += i;
    printf("%ld; %ld\n", other, regions(3));
#pragma omp target data map(tofrom : value)
    {
      value += regions(2);
#pragma omp target update to(value)
    }
    printf("%ld\n", value);
  }
  return finish();
}
