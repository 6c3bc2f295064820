// Preloaded before Muster: the kernel reports odd CPU numbers and times.
// ODD_CPU=unknown|far: sched_getcpu fails; it gives a number that no mask has.
// ODD_CLOCK=back|forth: the monotonic clock jumps by an hour, once, 100 ms after the first read;
// it jumps an hour forth and, 100 ms later, back again.
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "stand_ins.h"

int sched_getcpu(void) {
  const char* how = getenv("ODD_CPU");
  unsigned cpu = 0;
  syscall(SYS_getcpu, &cpu, NULL, NULL);
  if (how == NULL) return (int)cpu;
  if (strcmp(how, "far") == 0) return 70000 + (int)cpu;
  errno = ENOSYS;
  return -1;
}

static long long first_ms;

int clock_gettime(clockid_t clock, struct timespec* time) {
  const int status = (int)syscall(SYS_clock_gettime, clock, time);
  const char* how = getenv("ODD_CLOCK");
  if (status != 0 || clock != CLOCK_MONOTONIC || how == NULL) return status;
  const long long now_ms = time->tv_sec * 1000LL + time->tv_nsec / 1000000;
  long long none = 0;
  __atomic_compare_exchange_n(&first_ms, &none, now_ms, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  const long long passed = now_ms - first_ms;
  time->tv_sec += 7200;
  if (strcmp(how, "back") == 0 && passed > 100) time->tv_sec -= 3600;
  if (strcmp(how, "forth") == 0 && passed > 100 && passed < 200) time->tv_sec += 3600;
  return status;
}
