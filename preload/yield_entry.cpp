// sched_yield. Called by an OpenMP runtime or by OpenBLAS, it does what MUSTER_YIELD selects. Called by anything else,
// it is the system call. docs/understand/waiting.md.
#include <sched.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "options/settings.h"
#include "platform/native_memory.h"
#include "platform/yield_cpu.h"
#include "preload/entry.h"
#include "runtime-hooks/runtimes/yields/other_cpu_time.h"
#include "runtime-hooks/runtimes/yields/yield_caller.h"
#include "runtime-hooks/teams/thread_state.h"

namespace muster {
namespace {

OtherCpuTime g_other_cpu_time;

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

bool others_ran(std::uint64_t now_ns) {
  const int saved = errno;
  const bool ran = g_other_cpu_time.others_ran(now_ns, read_clocks);
  errno = saved;
  return ran;
}

// Whether another thread was on that CPU when it last yielded.
bool has_teammate(const ThreadState& me, unsigned cpu) {
  for (const ThreadState* state = first_thread_state(); state != nullptr; state = state->next) {
    const bool is_other = state != &me && state->taken.load(std::memory_order_relaxed);
    if (is_other && state->yields.was_on(cpu)) return true;
  }
  return false;
}

int yield_in_library() {
  ThreadState* state = state_for_yield();
  if (state == nullptr) return yield_cpu();
  YieldCounts& counts = state->yield_counts;
  const auto teammate_on = [&](unsigned cpu) { return has_teammate(*state, cpu); };
  switch (settings().yield) {
    case YieldKind::kAuto:
      state->yields.adapt<NativeMemory>(counts, others_ran, teammate_on);
      return 0;
    case YieldKind::kAdaptive:
      state->yields.adapt<NativeMemory>(counts, [](std::uint64_t) { return true; }, teammate_on);
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
  const bool is_programs = muster::yield_caller(MUSTER_RETURN_ADDRESS) == muster::kOtherCaller;
  return is_programs ? muster::yield_cpu() : muster::yield_in_library();
}
