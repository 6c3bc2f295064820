// Each thread binds itself to a CPU of its own, as programs do that place their threads; with more threads than CPUs,
// several share one. Then many barriers, with nothing between them but a rest now and then: Muster looks at the masks
// every 10 ms.
#define _GNU_SOURCE
#include <sched.h>

#include "check.h"

static int cell[kMaxThreads];

static void bind_to(const cpu_set_t* all, int number) {
  int cpu = -1;
  for (int left = number % CPU_COUNT(all); left >= 0; --left) {
    do ++cpu;
    while (!CPU_ISSET(cpu, all));
  }
  cpu_set_t mine;
  CPU_ZERO(&mine);
  CPU_SET(cpu, &mine);
  expect(sched_setaffinity(0, sizeof mine, &mine) == 0);
}

int main(void) {
  cpu_set_t all;
  if (sched_getaffinity(0, sizeof all, &all) != 0) return 2;
#pragma omp parallel
  {
    int me = omp_get_thread_num(), n = omp_get_num_threads();
    bind_to(&all, me);
    for (int round = 1; round <= 5000; ++round) {
      if (me == 0 && round % 1000 == 0) nap(12000);
      cell[me] = round;
#pragma omp barrier
      for (int i = 0; i < n; ++i) expect(cell[i] == round);
#pragma omp barrier
    }
  }
  return verdict("bound", 1);
}
