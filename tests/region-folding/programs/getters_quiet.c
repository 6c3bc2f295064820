// The getters that programs do ask between their regions: Muster answers them itself, and they close
// no fold. Nor do clocks, locks, criticals and memory.
// muster-test: folded >= 30
// muster-test: closed "runtime call" <= 0
// muster-test: opened <= 1
// muster-test: auto
// muster-test: auto folded >= 20
#include "trap.h"

int main(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  int sum = 0;
  double last = 0;
  for (int i = 0; i < 40; ++i) {
    if (regions(1) == 0) return 1;
    sum += 1 * omp_get_num_threads() + 10 * omp_get_thread_num() + 100 * omp_in_parallel();
    sum += 1000 * omp_get_level() + 10000 * omp_get_active_level();
    sum += omp_get_ancestor_thread_num(0) + omp_get_ancestor_thread_num(1) + omp_get_team_size(0);
    sum += omp_get_max_threads() + omp_get_max_active_levels() + omp_get_dynamic();
    sum += omp_get_cancellation() + omp_get_nested() + (omp_get_num_procs() > 0);
    double now = omp_get_wtime();
    sum += now >= last;
    last = now;
    omp_set_lock(&lock);
#pragma omp critical
    ++sum;
#pragma omp atomic
    ++sum;
#pragma omp flush
    omp_unset_lock(&lock);
    void* memory = omp_alloc(100, omp_default_mem_alloc);
    sum += memory != NULL;
    omp_free(memory, omp_default_mem_alloc);
  }
  omp_destroy_lock(&lock);
  printf("sum %d\n", sum);
  return 0;
}
