// Regions of one thread while a fold is open, which stays open as long as they only ask the runtime, take its locks,
// and have barriers.
// muster-test: folded >= 300
// muster-test: closed <= 2
// muster-test: auto folded >= 200
#include "trap.h"

static omp_lock_t lock;

// Everything that the runtime answers without being told of the region.
static long ask(void) {
  long wrong = omp_get_num_threads() != 1 || omp_get_thread_num() != 0 || omp_get_level() != 1;
  wrong += omp_get_active_level() != 0 || omp_in_parallel() != 0;
  wrong += omp_get_ancestor_thread_num(0) != 0 || omp_get_ancestor_thread_num(1) != 0;
  wrong += omp_get_team_size(0) != 1 || omp_get_team_size(1) != 1;
  wrong += omp_get_ancestor_thread_num(2) != -1 || omp_get_team_size(2) != -1;
  wrong += omp_get_ancestor_thread_num(-1) != -1 || omp_get_team_size(-1) != -1;
  return wrong;
}

int main(void) {
  long wrong = 0, sum = 0, most = 0;
  omp_init_lock(&lock);
  settle();
  for (int i = 0; i < 100; ++i) {
    long cell[kMostThreads] = {0};
#pragma omp parallel
    cell[omp_get_thread_num()] = i;
    for (int t = 0; t < kMostThreads; ++t) sum += cell[t];
#pragma omp parallel num_threads(1)
    {
      wrong += ask();
      most += omp_get_max_threads();
      omp_set_lock(&lock);
      sum += i;
      omp_unset_lock(&lock);
#pragma omp critical
      sum += i;
#pragma omp barrier
    }
    wrong += omp_get_level() != 0 || omp_get_team_size(0) != 1 || omp_get_team_size(1) != -1;
#pragma omp parallel reduction(+ : wrong)
    wrong += omp_get_level() != 1 || omp_get_num_threads() != omp_get_team_size(1);
  }
  printf("wrong %ld, sum %ld, most threads %ld\n", wrong, sum, most);
  omp_destroy_lock(&lock);
  return finish();
}
