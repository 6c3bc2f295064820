// Long serial parts: workers sleep by then and must wake; clocks go on and close nothing.
// muster-test: folded >= 30
// muster-test: closed "runtime call" <= 0
// muster-test: opened <= 1
#include <time.h>

#include "trap.h"

int main(void) {
  double begin = omp_get_wtime(), last = begin;
  settle();
  for (int i = 0; i < 6; ++i) {
    nanosleep(&(struct timespec){0, 50000000}, NULL);
    double now = omp_get_wtime();
    printf("%d; %ld\n", now - last >= 0.05 && omp_get_wtick() > 0, regions(3));
    last = now;
  }
  // A serial part that works, and a region in which one thread does.
  volatile long work = 0;
  while (omp_get_wtime() < last + 0.1) ++work;
  printf("%ld\n", regions(3));
  double longest = 0;
#pragma omp parallel
  if (omp_get_thread_num() == 1) {
    double start = omp_get_wtime();
    while (longest < 0.1) longest = omp_get_wtime() - start;
  }
  printf("%d\n", longest >= 0.1);
  return finish();
}
