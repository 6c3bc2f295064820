// Regions with many barriers, while the test keeps the CPUs busy: a thread's affinity must be its
// own again in the serial part, at the beginning of a region and in tasks. Threads and processes that
// are made, in the serial part or in a region, must have inherited neither an affinity nor a time
// slice. Also if it is made by the system calls themselves, unless PLACED_BY_LIBRARY is set.
//   placed MILLISECONDS
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
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

// The caller's time slice in ns; 0 if the kernel does not report one.
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

static char* self;
static int all;
static unsigned long long own_slice;

static int is_own(void) { return cpus() == all && slice() == own_slice; }

static void* look(void* own) {
  *(int*)own = is_own();
  return NULL;
}

static void ends_well(pid_t child) {
  int status = 1;
  expect(waitpid(child, &status, 0) == child);
  expect(status == 0);
}

// In every way that the C library has. A new program gets the expected mask as an argument.
static void make_threads_and_processes(void) {
  char its_all[16], its_slice[32], command[4200];
  snprintf(its_all, sizeof(its_all), "%d", all);
  snprintf(its_slice, sizeof(its_slice), "%llu", own_slice);
  snprintf(command, sizeof(command), "exec '%s' look %s %s", self, its_all, its_slice);
  char* words[] = {self, "look", its_all, its_slice, NULL};
  int own = 0;
  pthread_t thread;
  expect(pthread_create(&thread, NULL, look, &own) == 0);
  pthread_join(thread, NULL);
  expect(own);
  pid_t child = fork();
  if (child == 0) _exit(is_own() ? 0 : 1);
  ends_well(child);
  child = vfork();
  if (child == 0) {
    execv(self, words);
    _exit(2);
  }
  ends_well(child);
  expect(posix_spawn(&child, self, NULL, NULL, words, environ) == 0);
  ends_well(child);
  expect(posix_spawnp(&child, self, NULL, NULL, words, environ) == 0);
  ends_well(child);
  expect(system(command) == 0);
  expect(pclose(popen(command, "r")) == 0);
}

// As Go's runtime does it.
static void make_processes_by_system_calls(void) {
  if (getenv("PLACED_BY_LIBRARY") != NULL) return;
  char its_all[16], its_slice[32];
  snprintf(its_all, sizeof(its_all), "%d", all);
  snprintf(its_slice, sizeof(its_slice), "%llu", own_slice);
  char* words[] = {self, "look", its_all, its_slice, NULL};
  for (int executes = 0; executes < 2; ++executes) {
    const pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0 && executes) syscall(SYS_execve, self, words, environ);
    if (child == 0) syscall(SYS_exit_group, !executes && is_own() ? 0 : 1);
    ends_well(child);
  }
}

int main(int count, char** arguments) {
  self = arguments[0];
  if (count == 4) {
    all = atoi(arguments[2]);
    own_slice = strtoull(arguments[3], NULL, 10);
    return is_own() ? 0 : 1;
  }
  unsetenv("LD_PRELOAD");  // the new programs only look
  double milliseconds = count > 1 ? atof(arguments[1]) : 500;
  all = cpus();
  own_slice = slice();
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
        make_threads_and_processes();
        make_processes_by_system_calls();
      }
    }
    expect(cpus() == all);
    make_threads_and_processes();
    make_processes_by_system_calls();
  }
  // Short regions: their primary thread keeps its slice from one to the next.
  for (int turn = 0; turn < 3; ++turn) {
    long visits = 0, regions = 0;
    for (double begin = now_ms(); now_ms() - begin < milliseconds * 0.2; ++regions) {
#pragma omp parallel reduction(+ : visits)
      ++visits;
    }
    expect(visits >= regions);
    make_processes_by_system_calls();
    make_threads_and_processes();
  }
  return verdict("placed", 1);
}
