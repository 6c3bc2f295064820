// OMP_DISPLAY_AFFINITY: each team is displayed when it is made, nested ones, too, made again in each region.
// muster-test: env OMP_DISPLAY_AFFINITY=TRUE
// muster-test: env OMP_AFFINITY_FORMAT=level %L thread %n of %N, ancestor %a
// muster-test: env OMP_MAX_ACTIVE_LEVELS=2
// muster-test: env OMP_NUM_THREADS=2,2
// muster-test: unfolded "affinity displayed" >= 4
// muster-test: unordered
#include "trap.h"

int main(void) {
  long sum = 0;
  for (int round = 0; round < 4; ++round) {
#pragma omp parallel reduction(+ : sum)
    {
#pragma omp parallel reduction(+ : sum)
      ++sum;
    }
  }
  printf("%ld\n", sum);
  return 0;
}
