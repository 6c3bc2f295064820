// A helper process writes the report: one that shares the memory with this one, has a stack of its own, and is waited
// for no longer than two seconds. The thread that got the signal may be anywhere: its stack may be small, and it may
// hold a lock that the report needs. A helper that finds such a lock is given up, one that crashes ends by itself, and
// the program ends by its signal in either case.
#include "preload/signals/report_at_signal.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <csignal>
#include <cstdint>

#include "platform/clock.h"
#include "platform/optional_calls.h"
#include "platform/pages.h"
#include "preload/report/process_id.h"
#include "preload/report/report.h"
#include "preload/signals/dispositions.h"

// A program may define `clone`. Weak: musl has no other name.
extern "C" __typeof__(clone) __clone __attribute__((weak));

namespace muster {
namespace {

constexpr std::size_t kStack = 512 * 1024;
constexpr std::uint64_t kLongestNs = 2'000'000'000;

char* g_stack = nullptr;
std::atomic<std::uint32_t> g_helper_runs{0};  // cleared by the kernel when the helper has ended

int help(void*) {
  write_report_now();
  write_timeline_now();
  return 0;
}

// The kernel wakes it as a word that processes may share.
void wait_for_helper() {
  const std::uint64_t begin_ns = monotonic_ns();
  for (;;) {
    const std::uint64_t passed_ns = monotonic_ns() - begin_ns;
    if (g_helper_runs.load(std::memory_order_acquire) == 0 || passed_ns >= kLongestNs) return;
    const std::uint64_t left_ns = kLongestNs - passed_ns;
    const timespec left{static_cast<time_t>(left_ns / 1'000'000'000),
                        static_cast<long>(left_ns % 1'000'000'000)};
    syscall(SYS_futex, &g_helper_runs, FUTEX_WAIT, 1, &left, nullptr, 0);
  }
}

void write_in_helper() {
  const OptionalCalls calls;
  if (!calls.allow(SYS_wait4)) return;
  report_is_about(getpid());
  g_helper_runs.store(1);
  // No signal to the parent when it ends, so nothing that the program waits for.
  const int helper = __clone(help, g_stack + kStack, CLONE_VM | CLONE_CHILD_CLEARTID, nullptr,
                             nullptr, nullptr, &g_helper_runs);
  if (helper < 0) return;
  wait_for_helper();
  if (g_helper_runs.load(std::memory_order_acquire) != 0) syscall(SYS_kill, helper, SIGKILL);
  syscall(SYS_wait4, helper, nullptr, __WCLONE, nullptr);
}

}  // namespace

void report_at_signals() {
  const OptionalCalls calls;
  if (!calls.allow(SYS_rt_sigaction) || !calls.allow(SYS_tgkill)) return;
  g_stack = static_cast<char*>(map_pages(kStack));
  if (g_stack != nullptr) handle_default_dispositions(write_in_helper);
}

}  // namespace muster
