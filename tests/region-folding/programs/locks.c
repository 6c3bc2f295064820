// Locks held across the ends of regions and by the serial part while regions try them: the primary
// thread owns what it took, wherever it took it; workers own what they took in other regions.
// muster-test: skip libgomp: its nestable locks belong to the tasks of regions (nest_locks.c)
// muster-test: folded >= 30
// muster-test: closed "runtime call" <= 0
#include "trap.h"

int main(void) {
  omp_lock_t lock;
  omp_nest_lock_t nested;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nested);
  settle();
  for (int round = 0; round < 10; ++round) {
    int got = 0, depth[kMostThreads] = {0};
    omp_set_lock(&lock);
    omp_set_nest_lock(&nested);
#pragma omp parallel reduction(+ : got)
    {
      got += omp_test_lock(&lock);
      depth[omp_get_thread_num()] = omp_test_nest_lock(&nested);
    }
    printf("held by the serial part: %d;", got);
    for (int i = 0; i < 4; ++i) printf(" %d", depth[i]);
    omp_unset_nest_lock(&nested);
    omp_unset_nest_lock(&nested);
    omp_unset_lock(&lock);
    // Taken in one region, given back in another.
#pragma omp parallel
    if (omp_get_thread_num() == 2) omp_set_nest_lock(&nested);
    printf("; serial part: %d", omp_test_nest_lock(&nested));
#pragma omp parallel
    if (omp_get_thread_num() == 2) {
      depth[2] = omp_test_nest_lock(&nested);
      omp_unset_nest_lock(&nested);
      omp_unset_nest_lock(&nested);
    }
    printf(" %d;", depth[2]);
    long sum = 0, other = 0;
#pragma omp parallel
    for (int i = 0; i < 20; ++i) {
#pragma omp critical(one)
      ++sum;
      omp_set_lock(&lock);
      ++other;
      omp_unset_lock(&lock);
    }
#pragma omp critical(one)
    ++sum;
    printf(" %ld %ld\n", sum, other);
  }
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nested);
  return finish();
}
