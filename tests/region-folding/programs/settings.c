// All other settings, changed in the serial part between regions, and what regions and the serial
// part then make of them.
// muster-test: folded >= 60
// muster-test: closed "runtime call" >= 5
// muster-test: auto
// muster-test: skip gnu: libgomp has no kmp_set_blocktime
// muster-test: skip libgomp: the same
#include "getters.h"

int kmp_get_blocktime(void);
void kmp_set_blocktime(int);

static void region(void) {
  struct answers answers[kMostThreads], serial = ask();
  int size = 0;
#pragma omp parallel
  {
    answers[omp_get_thread_num()] = ask();
#pragma omp master
    size = omp_get_num_threads();
  }
  printf("blocktime %d\n", kmp_get_blocktime());
  print_answers("serial", &serial);
  for (int i = 0; i < size; i += size - 1 + (size == 1)) print_answers("region", &answers[i]);
  settle();
}

int main(void) {
  settle();
  region();
  for (int levels = 3; levels >= 0; --levels) {
    omp_set_max_active_levels(levels);
    region();
  }
  omp_set_max_active_levels(1);
  omp_set_schedule(omp_sched_dynamic, 3);
  region();
  omp_set_nested(1);
  region();
  omp_set_nested(0);
  region();
  omp_set_default_device(1);
  region();
  omp_set_num_teams(2);
  omp_set_teams_thread_limit(2);
  region();
  kmp_set_blocktime(0);
  region();
  omp_set_schedule(omp_sched_static, 0);
  region();
  return finish();
}
