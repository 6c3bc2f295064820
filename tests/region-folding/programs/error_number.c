// errno is the program's: neither a fold that opens nor one that closes may leave its own there.
// muster-test: folded >= 20
#include <errno.h>

#include "trap.h"

static void keep(const char* what, int number) {
  if (errno != number) printf("%s: %d instead of %d\n", what, errno, number);
}

int main(void) {
  for (int i = 0; i < 40; ++i) {
    errno = 77 + i;
    int inside = 0;
#pragma omp parallel reduction(+ : inside)
    {
      inside += omp_get_thread_num() == 0 && errno == 77 + i;
      if (omp_get_thread_num() != 0) errno = 5;
    }
    if (i < 2) continue;  // these make threads, stock with an error number of their own
    keep("region", 77 + i);
    if (inside != 1) printf("in the region: not %d\n", 77 + i);
    (void)omp_get_wtime();
    (void)omp_get_level();
    keep("getter", 77 + i);
    if (i % 5 == 0) omp_set_num_threads(4);
    keep("setter", 77 + i);
#pragma omp for
    for (int k = 0; k < 4; ++k) inside += k;
    keep("orphaned loop", 77 + i);
    if (i % 7 == 0) omp_set_num_threads(3 + i % 2);
  }
  return finish();
}
