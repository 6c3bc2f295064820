// pair_start [WORK_US]: both threads of a pair begin on one CPU, with all CPUs allowed; prints after how long they are
// on different ones, at which instance, and how many instances 50 ms had.
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const double kSeconds = 0.05;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// By system calls: a program that calls the C library's functions places its threads itself, and Muster then moves none.
static void go_to_first_of(const cpu_set_t* all) {
  cpu_set_t one;
  int cpu = 0;
  while (!CPU_ISSET(cpu, all)) ++cpu;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  syscall(SYS_sched_setaffinity, 0, sizeof one, &one);
  syscall(SYS_sched_setaffinity, 0, sizeof *all, all);
}

int main(int argc, char** argv) {
  const double work = argc > 1 ? atof(argv[1]) * 1e-6 : 0;
  cpu_set_t all;
  int cpus[2] = {-1, -1};
  int over = 0;
  double begin = 0, apart = -1;
  long instances = 0, apart_at = 0;
  CPU_ZERO(&all);
  syscall(SYS_sched_getaffinity, 0, sizeof all, &all);
#pragma omp parallel num_threads(2)
  {
    const int me = omp_get_thread_num();
    go_to_first_of(&all);
    if (me == 0) begin = now();
    while (!over) {
      cpus[me] = sched_getcpu();
      for (const double start = now(); now() - start < work;) {
      }
#pragma omp barrier
      if (me == 0) {
        ++instances;
        if (apart < 0 && cpus[0] != cpus[1]) {
          apart = now() - begin;
          apart_at = instances;
        }
        over = now() - begin > kSeconds;
      }
#pragma omp barrier
    }
  }
  if (apart < 0) {
    printf("never apart, %ld instances\n", instances);
  } else {
    printf("apart after %.2f ms, at instance %ld of %ld\n", apart * 1e3, apart_at, instances);
  }
  return 0;
}
