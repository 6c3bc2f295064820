// The team's size set in the serial part: the next region has it, whatever the open fold has.
// muster-test: folded >= 60
// muster-test: closed "runtime call" >= 5
// muster-test: auto
#include "trap.h"

int main(void) {
  const int sizes[] = {4, 2, 2, 8, 1, 3, 4, 16, 4, 5};
  settle();
  for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
    omp_set_num_threads(sizes[i]);
    printf("%d wanted, %d at most: %ld\n", sizes[i], omp_get_max_threads(), regions(1));
    printf("again: %ld\n", regions(8));
  }
  // Between any two regions, the same and others.
  long sum = 0;
  for (int i = 0; i < 40; ++i) {
    omp_set_num_threads(2 + (i / 2) % 3);
    sum = sum * 3 % 1000003 + regions(1);
  }
  printf("in turns: %ld\n", sum);
  return finish();
}
