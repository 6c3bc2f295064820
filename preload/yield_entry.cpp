// sched_yield: what MUSTER_YIELD says where an OpenMP runtime calls it, the system call anywhere
// else. docs/yield.md.
#include <sched.h>

#include <cerrno>

#include "platform/native_memory.h"
#include "platform/yield_cpu.h"
#include "preload/entry.h"
#include "preload/options.h"
#include "runtime-hooks/thread_state.h"
#include "runtime-hooks/yield_caller.h"

namespace muster {
namespace {

// Null: leave the call alone (MUSTER=off, or no memory).
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
}  // namespace muster

MUSTER_EXPORT int sched_yield() noexcept {
  if (!muster::is_runtimes_yield(MUSTER_CALLER)) return muster::yield_cpu();
  return muster::yield_in_runtime();
}
