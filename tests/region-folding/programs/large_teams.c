// Teams with more threads than Muster's barriers support, alternating with smaller ones.
// muster-test: folded >= 10
// muster-test: unfolded "barriers not replaced" >= 1
// muster-test: skip any libomp14: one version will do, since a thousand threads take a while
// muster-test: skip any libomp16: the same
// muster-test: skip any libiomp5: the same
// muster-test: env OMP_STACKSIZE=64k
// muster-test: env KMP_STACKSIZE=64k
#include "trap.h"

static int size_of_team(int asked) {
  int size = 0;
#pragma omp parallel num_threads(asked)
  {
#pragma omp master
    size = omp_get_num_threads();
  }
  return size;
}

int main(void) {
  settle();
  printf("1030: %d\n", size_of_team(1030));
  printf("3: %d, %d\n", size_of_team(3), size_of_team(3));
  return finish();
}
