// Denies a system call to a program, as a container's seccomp filter may: denying CALL ERROR PROGRAM
// [ARGUMENT...]. The filter is inherited, so the program has it from its first instruction. ERROR is
// a name or a number, or `kill` where the call ends the process. Status 77 where no filter can be installed.
#include <errno.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// A call, and for futex the operation and the third argument, where only some are denied.
struct call {
  const char* name;
  int number;
  int operation;  // -1: all
  int value;      // of wakes: how many; -1: any
};

// The C library ends a program whose own waits and wakes are denied (FUTEX_WAIT_BITSET mostly, wakes
// of one thread); denied is what a program can do without.
static const struct call calls[] = {
    {"futex-wait", SYS_futex, FUTEX_WAIT, -1},
    {"futex-wake-all", SYS_futex, FUTEX_WAKE, 0x7fffffff},
    {"futex_waitv", 449, -1, -1},
    {"futex_wake", 454, -1, -1},
    {"futex_wait", 455, -1, -1},
    {"membarrier", SYS_membarrier, -1, -1},
    {"sched_setattr", SYS_sched_setattr, -1, -1},
    {"sched_getattr", SYS_sched_getattr, -1, -1},
    {"sched_setaffinity", SYS_sched_setaffinity, -1, -1},
    {"sched_getaffinity", SYS_sched_getaffinity, -1, -1},
    {"sched_yield", SYS_sched_yield, -1, -1},
    {"clock_nanosleep", SYS_clock_nanosleep, -1, -1},
    {"rseq", SYS_rseq, -1, -1},
};

static const struct {
  const char* name;
  int error;
} errors[] = {{"kill", -1},       {"EPERM", EPERM}, {"ENOSYS", ENOSYS},
              {"EINVAL", EINVAL}, {"E2BIG", E2BIG}, {"EACCES", EACCES}};

#define ARGUMENT(n) (unsigned)offsetof(struct seccomp_data, args[n])  // the low half: little endian

static int deny(const struct call* call, int error) {
  struct sock_filter filter[12];
  unsigned short n = 0, skips = 0;
  unsigned short to_allow[3];
#define ADD(...) filter[n++] = (struct sock_filter)__VA_ARGS__
#define ONLY_IF(given)   \
  to_allow[skips++] = n; \
  ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (given), 0, 0))
  ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, nr)));
  ONLY_IF((unsigned)call->number);
  if (call->operation >= 0) {
    ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT(1)));
    ADD(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 127));  // without FUTEX_PRIVATE_FLAG and the clock's
    ONLY_IF((unsigned)call->operation);
  }
  if (call->value >= 0) {
    ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT(2)));
    ONLY_IF((unsigned)call->value);
  }
  ADD(BPF_STMT(BPF_RET | BPF_K,
               error < 0 ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | (unsigned)error));
  for (int i = 0; i < skips; ++i) filter[to_allow[i]].jf = (unsigned char)(n - to_allow[i] - 1);
  ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const struct sock_fprog program = {n, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

int main(int count, char** arguments) {
  if (count < 4) return 2;
  int error = atoi(arguments[2]);
  for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i)
    if (strcmp(errors[i].name, arguments[2]) == 0) error = errors[i].error;
  for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
    if (strcmp(calls[i].name, arguments[1]) != 0) continue;
    if (!deny(&calls[i], error)) return 77;
    execv(arguments[3], arguments + 3);
    return 126;
  }
  fprintf(stderr, "denying: unknown call '%s'\n", arguments[1]);
  return 2;
}
