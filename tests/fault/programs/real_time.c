// A team under SCHED_FIFO on one CPU, its primary thread above the others: if it spins or yields
// there, they never run. Regions of many sizes, whose primary thread comes late, so that it
// interrupts the others wherever they are. real_time REGIONS
#define _GNU_SOURCE
#include <sched.h>
#include <sys/resource.h>

#include "check.h"

static int cell[kMaxThreads];

int main(int count, char** arguments) {
  const int regions = count > 1 ? atoi(arguments[1]) : 200;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 2;
  int cpu = 0;
  while (!CPU_ISSET(cpu, &set)) ++cpu;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  expect(sched_setaffinity(0, sizeof(set), &set) == 0);
  const struct rlimit most = {5000000,
                              5000000};  // microseconds without a sleep: instead of without a limit
  setrlimit(RLIMIT_RTTIME, &most);
#pragma omp parallel num_threads(9)
  {
    const struct sched_param parameters = {.sched_priority = omp_get_thread_num() == 0 ? 3 : 2};
    expect(sched_setscheduler(0, SCHED_FIFO, &parameters) == 0);
  }
  for (int region = 0; region < regions; ++region) {
#pragma omp parallel num_threads(2 + region % 8)
    {
      const int me = omp_get_thread_num();
      if (me == 0) nap(region * 7 % 60);
      cell[me] = region;
#pragma omp barrier
      for (int i = 0; i < omp_get_num_threads(); ++i) expect(cell[i] == region);
#pragma omp barrier
    }
  }
  expect(sched_getscheduler(0) == SCHED_FIFO);
  return verdict("real_time", cell[0]);
}
