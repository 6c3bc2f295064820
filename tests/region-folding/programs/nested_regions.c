// Regions inside folded regions: serialized by default, teams of their own where two levels may be
// active, and the sizes of a list.
// muster-test: folded >= 15
// muster-test: auto
// muster-test: case serialized
// muster-test: case two-levels
// muster-test: env OMP_MAX_ACTIVE_LEVELS=2
// muster-test: case list
// muster-test: env OMP_NUM_THREADS=4,2
// muster-test: env OMP_MAX_ACTIVE_LEVELS=2
// muster-test: case three
// muster-test: env OMP_NUM_THREADS=2,3,2
// muster-test: env OMP_MAX_ACTIVE_LEVELS=3
// muster-test: case list-one-level
// muster-test: env OMP_NUM_THREADS=4,2
// muster-test: env OMP_MAX_ACTIVE_LEVELS=1
#include "trap.h"

enum { kMost = 8 };
static int sizes[kMost][kMost], most[kMost][kMost], levels[kMost][kMost], deepest[kMost][kMost];

static void nest(void) {
  int outer = 0;
#pragma omp parallel
  {
    int me = omp_get_thread_num();
#pragma omp master
    outer = omp_get_num_threads();
#pragma omp parallel
    {
      int inner = omp_get_thread_num();
      sizes[me][inner] = omp_get_num_threads();
      most[me][inner] = omp_get_max_threads();
      levels[me][inner] = 10 * omp_get_level() + omp_get_active_level();
#pragma omp barrier
#pragma omp parallel
#pragma omp master
      deepest[me][inner] = omp_get_num_threads();
    }
#pragma omp barrier
  }
  printf("%d outside, at most %d:", outer, omp_get_max_threads());
  for (int i = 0; i < outer; ++i) {
    for (int k = 0; k < sizes[i][0]; ++k) {
      printf(" %d,%d,%d,%d", sizes[i][k], most[i][k], levels[i][k], deepest[i][k]);
    }
  }
  printf("\n");
}

int main(void) {
  nest();
  settle();
  for (int i = 0; i < 4; ++i) nest();
  settle();
  omp_set_num_threads(3);
  nest();
  nest();
  omp_set_max_active_levels(1);
  nest();
  nest();
  return finish();
}
