// sched_yield. Called by an OpenMP runtime, it does what MUSTER_YIELD selects. Called by anything else, it is the
// system call. docs/understand/waiting.md.
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

// Unknown where each thread can have a CPU: then a yield, even a long one, costs less than a nap. Beside four hogs, two
// threads on two CPUs were eight times slower with naps (docs/results/notes/waiting.md).
CpuClocks read_clocks() {
  AffinityMask mask;
  if (!mask.read() || threads_of_runtimes() <= mask.count()) return {};
  const SumOfTimes sum = sum_of_times(mask, kNoCpu);
  if (sum.cpus == 0) return {};
  return {monotonic_ns(), process_cpu_ns(), sum.idle_ns + sum.stolen_ns, mask.count()};
}

// Null: do the system call (MUSTER=off, or no memory).
ThreadState* state_for_yield() {
  const int saved = errno;
  ensure_ready();
  ThreadState* state = settings().on ? thread_state() : nullptr;
  errno = saved;
  return state;
}

int yield_in_runtime() {
  ThreadState* state = state_for_yield();
  if (state == nullptr) return yield_cpu();
  YieldCounts& counts = state->yield_counts;
  switch (settings().yield) {
    case YieldKind::kAuto:
      if (task_seen()) break;
      state->yields.adapt_beside_others<NativeMemory>(counts, [](std::uint64_t now_ns) {
        const int saved = errno;
        const bool others_ran = g_other_cpu_time.others_ran(now_ns, read_clocks);
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
  if (!muster::is_runtimes_yield(MUSTER_CALLER)) return muster::yield_cpu();
  return muster::yield_in_runtime();
}
