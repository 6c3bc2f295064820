// Something that closes after every region: `auto` must see that folding does not pay.
// muster-test: folded >= 200
// muster-test: auto
// muster-test: auto unfolded "closed too often" >= 100
// muster-test: off
// muster-test: off folded <= 0
// muster-test: off unfolded "MUSTER_FORKJOIN=off" >= 400
#include "trap.h"

int main(void) {
  long sum = 0;
  for (int i = 0; i < 400; ++i) {
    sum += regions(1);
#pragma omp barrier
    if (i % 4 == 0) omp_set_num_threads(4);
#pragma omp single
    ++sum;
  }
  printf("%ld\n", sum);
  return finish();
}
