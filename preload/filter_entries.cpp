// prctl and syscall of the C library, by which a program installs a seccomp filter: before that, Muster gives back what
// it has changed, writes the report, and makes no optional system call any more (platform/optional_calls.h). A filter
// that is installed without them, by a system call instruction of the program, is not seen.
#include <dlfcn.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "platform/missing.h"
#include "platform/optional_calls.h"
#include "platform/tail_call.h"
#include "preload/entry.h"
#include "preload/live/live.h"
#include "preload/report/process_times.h"
#include "preload/report/report.h"
#include "preload/signals/dispositions.h"

namespace muster {
namespace {

// Variadic for their callers, whose arguments are in the same places on each processor.
using Syscall = long(MUSTER_SYSCALL_PARAMETERS);
using Prctl = int(int, unsigned long, unsigned long, unsigned long, unsigned long);

long first_syscall(MUSTER_SYSCALL_PARAMETERS);
int first_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d);
std::atomic<Syscall*> g_syscall{first_syscall};
std::atomic<Prctl*> g_prctl{first_prctl};

// Before main, mostly: calls of Muster's come here, too, from where the loader must not be called.
__attribute__((constructor(101))) void bind() {
  g_syscall.store(reinterpret_cast<Syscall*>(dlsym(RTLD_NEXT, "syscall")));
  g_prctl.store(reinterpret_cast<Prctl*>(dlsym(RTLD_NEXT, "prctl")));
}

long first_syscall(MUSTER_SYSCALL_PARAMETERS) {
  bind();
  MUSTER_TAIL_CALL return g_syscall.load()(MUSTER_SYSCALL_ARGUMENTS);
}
int first_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d) {
  bind();
  return g_prctl.load()(option, a, b, c, d);
}

// A child of fork() that goes on to another program has no report.
void before_first_filter() {
  note_missing(Missing::kFilter, 0);
  if (g_ready.load(std::memory_order_acquire) && loaded_at().pid == getpid()) {
    end_live();
    restore_default_dispositions();
    write_report_now();
    write_timeline_now();
  }
  end_optional_calls();
}

__attribute__((noinline)) void before_filter() {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  const int saved = errno;
  if (!in_child_of_vfork()) pthread_once(&once, before_first_filter);
  errno = saved;
}

__attribute__((noinline)) long syscall_after(MUSTER_SYSCALL_PARAMETERS) {
  before_filter();
  MUSTER_TAIL_CALL return g_syscall.load(std::memory_order_relaxed)(MUSTER_SYSCALL_ARGUMENTS);
}

}  // namespace
}  // namespace muster

MUSTER_EXPORT long muster_syscall(MUSTER_SYSCALL_PARAMETERS) __asm__("syscall");
MUSTER_EXPORT int muster_prctl(int option, unsigned long a, unsigned long b, unsigned long c,
                               unsigned long d) __asm__("prctl");

MUSTER_EXPORT long muster_syscall(MUSTER_SYSCALL_PARAMETERS) {
  const bool installs =
      (number == SYS_seccomp && (a == SECCOMP_SET_MODE_STRICT || a == SECCOMP_SET_MODE_FILTER)) ||
      (number == SYS_prctl && static_cast<int>(a) == PR_SET_SECCOMP);
  if (installs) [[unlikely]]
    MUSTER_TAIL_CALL return muster::syscall_after(MUSTER_SYSCALL_ARGUMENTS);
  MUSTER_TAIL_CALL return muster::g_syscall.load(std::memory_order_relaxed)(
      MUSTER_SYSCALL_ARGUMENTS);
}

MUSTER_EXPORT int muster_prctl(int option, unsigned long a, unsigned long b, unsigned long c,
                               unsigned long d) {
  if (option == PR_SET_SECCOMP) muster::before_filter();
  return muster::g_prctl.load(std::memory_order_relaxed)(option, a, b, c, d);
}
