// Starts and stops the counters of a thread at the begin and end of a team's region (MUSTER_COUNTERS). One branch per
// region if nothing is counted.
#pragma once

#include "counters/counting.h"
#include "runtime-hooks/teams/thread_state.h"

namespace muster {

// The calling thread's counters, if counting is on and there is memory.
inline ThreadCounters* counters_of(ThreadState& state) {
  if (!counting()) [[likely]]
    return nullptr;
  if (state.counters == nullptr) state.counters = new_thread_counters();
  return state.counters;
}

// For a thread that joins a team: what measures its waits.
inline WaitMeter* wait_meter_of(ThreadState* state) {
  ThreadCounters* counters = state != nullptr ? counters_of(*state) : nullptr;
  return counters != nullptr ? counters->meter() : nullptr;
}

inline void counted_region_begins(ThreadState& state, const Frame& frame) {
  if (ThreadCounters* counters = counters_of(state); counters != nullptr) [[unlikely]] {
    counters->region_begins(&frame, frame.outer == nullptr);
  }
}

inline void counted_region_ends(const ThreadState& state, const Frame& frame) {
  if (state.counters != nullptr) [[unlikely]]
    state.counters->region_ends(&frame);
}

}  // namespace muster
