// Regions of many barriers, beside which the test burns the CPUs: a thread's affinity must be its
// own again in the serial part, at the beginning of a region, in tasks, and in a child of fork() from
// inside a region; its time slice, too, in the serial part and in that child. placed MILLISECONDS
#define _GNU_SOURCE
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int cpus(void) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  return sched_getaffinity(0, sizeof(mask), &mask) == 0 ? CPU_COUNT(&mask) : -1;
}

// The caller's time slice in ns; 0 where the kernel tells none.
static unsigned long long slice(void) {
  struct {
    unsigned size, policy;
    unsigned long long flags;
    int nice;
    unsigned priority;
    unsigned long long runtime, deadline, period;
  } attributes = {.size = sizeof(attributes)};
  return syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0) == 0 ? attributes.runtime
                                                                                : 0;
}

int main(int count, char** arguments) {
  double milliseconds = count > 1 ? atof(arguments[1]) : 500;
  int all = cpus();
  unsigned long long own_slice = slice();
  int rounds = 0;
  for (double begin = now_ms(); now_ms() - begin < milliseconds; ++rounds) {
    int stop = 0;
#pragma omp parallel
    {
      expect(cpus() == all);
      while (stop == 0) {
#pragma omp barrier
#pragma omp master
        if (now_ms() - begin > milliseconds * 0.4 * (rounds + 1)) stop = 1;
#pragma omp barrier
      }
      if (rounds == 0) {  // the other regions end where their barriers left the threads
#pragma omp single
        for (int i = 0; i < 16; ++i) {
#pragma omp task
          expect(cpus() == all);
        }
      }
      if (omp_get_thread_num() == 1) {
        int child = fork();
        if (child == 0) _exit(cpus() == all && slice() == own_slice ? 0 : 1);
        int status = 1;
        waitpid(child, &status, 0);
        expect(status == 0);
      }
    }
    expect(cpus() == all);
    expect(slice() == own_slice);
  }
  return verdict("placed", 1);
}
