// Regions and barriers, and no other construct: for small.c.
#include <omp.h>

long regions(long count) {
  long cell[64] = {0};
  long errors = 0;
  int size = 0;
  for (long region = 1; region <= count; ++region) {
#pragma omp parallel shared(cell, errors, size, region)
    {
      const int me = omp_get_thread_num();
      const int n = omp_get_num_threads();
      cell[me] = region;
#pragma omp barrier
      for (int i = 0; i < n; ++i) {
        if (cell[i] != region) __atomic_fetch_add(&errors, 1, __ATOMIC_RELAXED);
      }
#pragma omp barrier
      if (me == 0) size = n;
    }
  }
  return errors != 0 ? -errors : 1000 * size + count;
}
