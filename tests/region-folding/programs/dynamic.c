// Dynamic adjustment: the runtime may give each region another size, so none may be folded.
// Compared is what does not depend on the load: that regions have one thread or more.
// muster-test: folded >= 15
// muster-test: unfolded "dynamic adjustment" >= 5
// muster-test: auto
#include "trap.h"

static void ten(void) {
  int bad = 0;
  for (int i = 0; i < 10; ++i) {
    int size = 0, seen = 0;
#pragma omp parallel
    {
#pragma omp atomic
      ++seen;
#pragma omp master
      size = omp_get_num_threads();
    }
    bad += size < 1 || size > 4 || seen != size;
  }
  printf("dynamic %d, %d bad\n", omp_get_dynamic(), bad);
}

int main(void) {
  settle();
  omp_set_dynamic(1);
  ten();
  ten();
  omp_set_dynamic(0);
  ten();
  return finish();
}
