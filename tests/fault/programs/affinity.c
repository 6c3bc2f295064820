// Narrows the affinity of all its threads to one CPU in mid-run, then widens it again.
#define _GNU_SOURCE
#include <dirent.h>
#include <sched.h>

#include "check.h"

static int cell[kMaxThreads];

// Every thread of the process, not only those of the team.
static void narrow(const cpu_set_t* set) {
  DIR* folder = opendir("/proc/self/task");
  if (folder == NULL) return;
  for (struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
    int thread = atoi(entry->d_name);
    if (thread > 0) expect(sched_setaffinity(thread, sizeof *set, set) == 0);
  }
  closedir(folder);
}

int main(void) {
  cpu_set_t all, one;
  if (sched_getaffinity(0, sizeof all, &all) != 0) return 2;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &all)) continue;
    CPU_SET(cpu, &one);
    break;
  }
#pragma omp parallel
  {
    int me = omp_get_thread_num(), n = omp_get_num_threads();
    for (int round = 1; round <= 900; ++round) {
      if (me == n - 1 && round == 300) narrow(&one);
      if (me == 0 && round == 600) narrow(&all);
      cell[me] = round;
#pragma omp barrier
      for (int i = 0; i < n; ++i) expect(cell[i] == round);
#pragma omp barrier
    }
  }
  return verdict("affinity", cell[0]);
}
