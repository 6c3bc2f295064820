// Denies system calls to itself: filtering CALLS ACTION WHEN [REGIONS]. WHEN: `before` executes this program again, `prctl`
// and `syscall` install the filter between two regions, `inside` in a region, `thread` from a thread of the program's
// while regions go on. Ends without the ends of runtimes and libraries. Status 77 where no filter can be installed.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

#define CALL(name) {#name, SYS_##name}
static const struct {
  const char* name;
  int number;
} denied_calls[] = {
    // "some": neither the C library nor an OpenMP runtime makes these.
    CALL(membarrier), CALL(sched_setattr), CALL(sched_getattr), CALL(sched_getscheduler),
    CALL(clock_nanosleep), CALL(clock_gettime), CALL(getcpu), CALL(statx), CALL(fcntl),
    CALL(process_vm_readv), CALL(linkat), CALL(unlinkat), CALL(renameat2), CALL(wait4),
    CALL(getuid), CALL(prctl), CALL(sched_setaffinity),
    // "all": nor these, once main runs and the threads exist.
    CALL(sched_getaffinity), CALL(openat), CALL(read), CALL(pread64), CALL(close), CALL(fstat),
    CALL(newfstatat), CALL(prlimit64), CALL(rt_sigaction), CALL(uname), CALL(readlinkat),
    // Made now and then.
    CALL(sched_yield), CALL(gettid), CALL(rt_sigprocmask), CALL(clone), CALL(clone3)};
enum { kDenied = sizeof denied_calls / sizeof *denied_calls, kSome = 17, kAll = kDenied - 5 };

static const struct {
  const char* name;
  unsigned value;
} actions[] = {{"kill-process", SECCOMP_RET_KILL_PROCESS},
               {"kill-thread", SECCOMP_RET_KILL_THREAD},
               {"trap", SECCOMP_RET_TRAP},
               {"errno", SECCOMP_RET_ERRNO | EPERM},
               {"log", SECCOMP_RET_LOG}};

// `calls` is a name of the table, "some" or "all".
static int make_filter(const char* calls, const char* action, struct sock_fprog* out) {
  static struct sock_filter filter[2 * kDenied + 3];
  unsigned short n = 0;
  const unsigned* value = NULL;
  for (size_t i = 0; i < sizeof actions / sizeof *actions; ++i)
    if (strcmp(action, actions[i].name) == 0) value = &actions[i].value;
  if (value == NULL) return 0;
  filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                             (unsigned)offsetof(struct seccomp_data, nr));
  for (int i = 0; i < kDenied; ++i) {
    const int is_meant = strcmp(calls, denied_calls[i].name) == 0 ||
                         (strcmp(calls, "some") == 0 && i < kSome) ||
                         (strcmp(calls, "all") == 0 && i < kAll);
    if (!is_meant) continue;
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                               (unsigned)denied_calls[i].number, 0, 1);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, *value);
  }
  if (n == 1) return 0;
  filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  *out = (struct sock_fprog){n, filter};
  return 1;
}

static int installs_by_prctl(struct sock_fprog* filter) {
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filter) == 0;
}
static int installs_for_all_threads(struct sock_fprog* filter) {
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, filter) == 0;
}

static struct sock_fprog filter;
static int cell[256];
static atomic_int installed;  // 1: yes, -1: it cannot be

static void install(int by_prctl) {
  installed = (by_prctl ? installs_by_prctl(&filter) : installs_for_all_threads(&filter)) ? 1 : -1;
}

static void* install_later(void* unused) {
  nap(5000);
  install(0);
  return unused;
}

static void busy(int microseconds) {
  const double end = omp_get_wtime() + microseconds * 1e-6;
  while (omp_get_wtime() < end) continue;
}

// In some, threads wait for long and sleep.
static void region(int number, int inside) {
#pragma omp parallel
  {
    int me = omp_get_thread_num(), n = omp_get_num_threads();
    for (int round = 1; round <= 4; ++round) {
      if (round == 2 && me == number % n) busy(number % 4 == 0 ? 2000 : 20);
      cell[me] = number + round;
#pragma omp barrier
      for (int i = 0; i < n; ++i) expect(cell[i] == number + round);
#pragma omp barrier
    }
    if (inside && me == n - 1) install(0);
  }
}

int main(int count, char** arguments) {
  if (count < 4 || !make_filter(arguments[1], arguments[2], &filter)) return 2;
  static char output[4096];
  setvbuf(stdout, output, _IOFBF, sizeof output);  // otherwise the C library asks what stdout is
  const char* when = arguments[3];
  const int regions = count > 4 ? atoi(arguments[4]) : 40;
  if (strcmp(when, "before") == 0) {
    if (!installs_by_prctl(&filter)) return 77;
    char* again[] = {arguments[0], arguments[1], arguments[2], "ready", NULL};
    execv(arguments[0], again);
    return 76;
  }
  for (int i = 1; i <= 20; ++i) region(i, 0);
  pthread_t thread;
  int starts = 0;
  if (strcmp(when, "thread") == 0)
    starts = pthread_create(&thread, NULL, install_later, NULL) == 0;
  else if (strcmp(when, "ready") != 0 && strcmp(when, "inside") != 0)
    install(strcmp(when, "prctl") == 0);
  else if (strcmp(when, "ready") == 0)
    installed = 1;
  for (int i = 1; i <= regions || (starts && installed == 0); ++i)
    region(i, i == 1 && strcmp(when, "inside") == 0);
  if (installed != 1) return 77;
  const int status = verdict("filtering", 1);
  fflush(stdout);
  if (strcmp(when, "ready") == 0) return status;
  _exit(status);
}
