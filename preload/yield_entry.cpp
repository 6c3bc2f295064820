// sched_yield. Called by an OpenMP runtime or by OpenBLAS, it does what MUSTER_YIELD selects. Called by anything else,
// it is the system call. docs/understand/waiting.md.
#include <sched.h>

#include <atomic>
#include <cerrno>

#include "options/settings.h"
#include "platform/native_memory.h"
#include "platform/yield_cpu.h"
#include "preload/entry.h"
#include "runtime-hooks/runtimes/yields/other_cpu_time.h"
#include "runtime-hooks/runtimes/yields/yield_caller.h"
#include "runtime-hooks/teams/tasks_seen.h"
#include "runtime-hooks/teams/thread_state.h"

namespace muster {
namespace {

OtherCpuTime g_other_cpu_time;

unsigned threads_of_runtimes() {
  unsigned found = 0;
  for (const ThreadState* state = first_thread_state(); state != nullptr; state = state->next) {
    found += state->taken.load(std::memory_order_relaxed) ? 1 : 0;
  }
  return found;
}

// Where each thread can have a CPU, a runtime's yield, even a long one, costs less than a nap. Beside four hogs, two
// threads on two CPUs were eight times slower with naps (docs/results/notes/waiting.md).
bool outnumber_cpus() {
  AffinityMask mask;
  return mask.read() && threads_of_runtimes() > mask.count();
}

CpuClocks read_clocks() {
  AffinityMask mask;
  if (!mask.read()) return {};
  const SumOfTimes sum = sum_of_times(mask, kNoCpu);
  if (sum.cpus == 0) return {};
  return {monotonic_ns(), process_cpu_ns(), sum.idle_ns + sum.stolen_ns, mask.count()};
}

// Null: do the system call (MUSTER=off, no memory, or no entry point was called yet). OpenBLAS's constructor creates
// threads: reading the settings in one of them would race with the program's first changes of its environment.
ThreadState* state_for_yield() {
  if (!g_ready.load(std::memory_order_acquire)) return nullptr;
  const int saved = errno;
  ThreadState* state = settings().on ? thread_state() : nullptr;
  errno = saved;
  return state;
}

int yield_in_library(YieldCaller caller) {
  ThreadState* state = state_for_yield();
  if (state == nullptr) return yield_cpu();
  YieldCounts& counts = state->yield_counts;
  switch (settings().yield) {
    case YieldKind::kAuto:
      // A runtime's thread may be looking for a task.
      if (caller == kRuntimeCaller && task_seen()) break;
      state->yields.adapt_beside_others<NativeMemory>(counts, [caller](std::uint64_t now_ns) {
        const int saved = errno;
        const bool others_ran = g_other_cpu_time.others_ran(now_ns, read_clocks) &&
                                (caller == kBlasCaller || outnumber_cpus());
        errno = saved;
        return others_ran;
      });
      return 0;
    case YieldKind::kSkip:
      state->yields.skip<NativeMemory>(counts);
      return 0;
    case YieldKind::kAdaptive:
      state->yields.adapt<NativeMemory>(counts);
      return 0;
    case YieldKind::kNative:
      break;
  }
  counts.passed.add();
  return yield_cpu();
}

}  // namespace

void forget_other_cpu_time() { g_other_cpu_time.after_fork_in_child(); }

}  // namespace muster

MUSTER_EXPORT int sched_yield() noexcept {
  const muster::YieldCaller caller = muster::yield_caller(MUSTER_CALLER);
  if (caller == muster::kOtherCaller) return muster::yield_cpu();
  return muster::yield_in_library(caller);
}
