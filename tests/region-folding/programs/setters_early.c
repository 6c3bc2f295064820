// Setters, getters and orphaned constructs before the first region and between the first few, when no
// fold has been opened yet.
// muster-test: folded >= 10
// muster-test: auto
// muster-test: off
// muster-test: off folded <= 0
#include "trap.h"

static void all(int round) {
  omp_set_num_threads(2 + round % 3);
  omp_set_dynamic(0);
  omp_set_schedule(omp_sched_static, 1 + round);
  omp_set_max_active_levels(1);
  printf("%d: %d %d %d,", round, omp_get_max_threads(), omp_get_level(), omp_get_num_threads());
  int sum = 0;
#pragma omp single
  ++sum;
#pragma omp for
  for (int i = 0; i < 10; ++i) sum += i;
#pragma omp barrier
#pragma omp task shared(sum)
  sum += 100;
#pragma omp taskwait
  printf(" %d\n", sum);
}

int main(void) {
  for (int round = 0; round < 6; ++round) {
    all(round);
    printf("%ld\n", regions(round < 4 ? 1 : 3));
  }
  return finish();
}
