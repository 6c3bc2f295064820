// schedule(runtime): which thread gets which iteration is what omp_set_schedule said last in the
// serial part; what a region's thread sets is for its own.
// muster-test: folded >= 15
// muster-test: closed >= 3
#include "trap.h"

enum { kCount = 24 };

static void loop(const char* when) {
  int whose[kCount];
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < kCount; ++i) whose[i] = omp_get_thread_num();
  printf("%s:", when);
  for (int i = 0; i < kCount; ++i) printf(" %d", whose[i]);
  printf("\n");
}

int main(void) {
  settle();
  omp_set_schedule(omp_sched_static, 1);
  loop("chunks of 1");
  settle();
  loop("still");
  omp_set_schedule(omp_sched_static, 5);
  loop("chunks of 5");
  settle();
#pragma omp parallel
  omp_set_schedule(omp_sched_static, 2);
  loop("after a region that set 2");
  omp_set_schedule(omp_sched_static, 0);
  loop("even parts");
  return finish();
}
