// Regions that if(0) serializes, between folded ones: a team of one with a level of its own.
// muster-test: folded >= 15
// muster-test: auto
#include "trap.h"

static void serialized(int condition) {
  int size = 0, level = 0, active = 0, inside = 0, seen = 0, inner = 0;
#pragma omp parallel if (condition)
  {
#pragma omp atomic
    ++seen;
#pragma omp barrier
#pragma omp master
    {
      size = omp_get_num_threads();
      level = omp_get_level();
      active = omp_get_active_level();
      inside = omp_in_parallel();
    }
#pragma omp for
    for (int i = 0; i < 12; ++i) {
#pragma omp atomic
      ++seen;
    }
    if (size == 1) {
#pragma omp parallel
#pragma omp master
      inner = omp_get_num_threads();
    }
  }
  printf("if(%d): %d threads, level %d, active %d, in parallel %d, %d seen, %d inside\n", condition,
         size, level, active, inside, seen, inner);
}

int main(void) {
  settle();
  for (int i = 0; i < 12; ++i) {
    serialized(i % 3 == 0);
    if (i % 4 == 0) settle();
  }
  for (int i = 0; i < 8; ++i) {
    serialized(0);
    printf("%ld\n", regions(1));
  }
  return finish();
}
