// num_threads: for one region only. A size that repeats may be folded; another one closes the fold.
// muster-test: folded >= 60
// muster-test: closed "other team size" >= 4
// muster-test: auto
#include "trap.h"

static int sized(int wanted) {
  int size = 0, seen = 0;
#pragma omp parallel num_threads(wanted)
  {
#pragma omp atomic
    ++seen;
#pragma omp master
    size = omp_get_num_threads();
  }
  return seen == size ? size : -1;
}

int main(void) {
  settle();
  const int sizes[] = {4, 2, 3, 8, 4, 1, 2};
  for (unsigned k = 0; k < sizeof(sizes) / sizeof(sizes[0]); ++k) {
    printf("%d wanted:", sizes[k]);
    for (int i = 0; i < 12; ++i) printf(" %d", sized(sizes[k]));
    printf("; at most %d, without: %ld\n", omp_get_max_threads(), regions(3));
  }
  printf("each another:");
  for (int i = 0; i < 20; ++i) printf(" %d", sized(2 + i % 4));
  printf("\n2 and none, in turns:");
  for (int i = 0; i < 10; ++i) printf(" %d %ld", sized(2), regions(1));
  printf("\n4 and none, in turns:");
  for (int i = 0; i < 10; ++i) printf(" %d %ld", sized(4), regions(1));
  printf("\n");
  return finish();
}
