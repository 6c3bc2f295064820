// A size that is asked for by a region which if(0) serializes. Newer runtimes forget it, older ones
// keep it for the next region: whatever they do, the next one folded must not.
// muster-test: folded >= 20
// muster-test: auto
#include "trap.h"

static int size_of_next(void) {
  int size = 0;
#pragma omp parallel
#pragma omp master
  size = omp_get_num_threads();
  return size;
}

static int maybe(int condition) {
  int size = 0;
#pragma omp parallel num_threads(3) if (condition)
#pragma omp master
  size = omp_get_num_threads();
  return size;
}

int main(void) {
  settle();
  for (int i = 0; i < 12; ++i) {
    const int own = maybe(i % 2);
    const int first = size_of_next();
    const int second = size_of_next();
    printf("if(%d): %d threads, then %d, then %d\n", i % 2, own, first, second);
    if (i % 3 == 0) settle();
  }
  return finish();
}
