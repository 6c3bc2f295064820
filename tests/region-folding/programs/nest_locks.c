// Nestable locks on libgomp, where a lock belongs to a task: the serial part has one of its own, which no region's
// primary thread shares. Held since before a fold was opened, taken again while one is open, tried in regions.
// muster-test: skip clang: the thread is the owner there (locks.c)
// muster-test: skip gcc: the same
// muster-test: skip gnu: the same
// muster-test: folded >= 30
// muster-test: closed "runtime call" >= 10
// muster-test: auto
#include "trap.h"

int main(void) {
  omp_nest_lock_t early, lock;
  omp_init_nest_lock(&early);
  omp_init_nest_lock(&lock);
  omp_set_nest_lock(&early);
  settle();
  for (int round = 0; round < 10; ++round) {
    omp_set_nest_lock(&early);
    int depth = omp_test_nest_lock(&early);
    omp_set_nest_lock(&lock);
    int got[kMostThreads] = {0};
#pragma omp parallel
    {
      int me = omp_get_thread_num();
      got[me] = omp_test_nest_lock(&lock) + omp_test_nest_lock(&early);
    }
    printf("the serial part: %d, %d; its regions:", depth, omp_test_nest_lock(&lock));
    for (int i = 0; i < 4; ++i) printf(" %d", got[i]);
    omp_unset_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
    omp_unset_nest_lock(&early);
    omp_unset_nest_lock(&early);
    long sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
      omp_set_nest_lock(&lock);
      sum += omp_test_nest_lock(&lock);
      omp_unset_nest_lock(&lock);
      omp_unset_nest_lock(&lock);
    }
    printf("; free: %ld; %ld\n", sum, regions(3));
  }
  return finish();
}
