// What is counted (MUSTER_COUNTERS) and recorded (MUSTER_TIMELINE, MUSTER_SITES) at the begin and end of a thread's share of a team's
// region. One branch per region if nothing is.
#pragma once

#include <atomic>

#include "counters/counting.h"
#include "runtime-hooks/teams/thread_state.h"

namespace muster {

namespace detail {
inline constinit std::atomic<bool> g_observing{false};

void region_begins(ThreadState& state, const Frame& frame);
void region_ends(const ThreadState& state, const Frame& frame);
WaitMeter* find_wait_meter(ThreadState& state);
}  // namespace detail

// Whether anything is. One load of a line that is not written afterwards.
inline bool observing() { return detail::g_observing.load(std::memory_order_relaxed); }
inline void observe() { detail::g_observing.store(true, std::memory_order_release); }

// For a thread that joins a team: what measures its waits.
inline WaitMeter* wait_meter_of(ThreadState* state) {
  if (!observing() || state == nullptr) [[likely]]
    return nullptr;
  return detail::find_wait_meter(*state);
}

inline void counted_region_begins(ThreadState& state, const Frame& frame) {
  if (observing()) [[unlikely]]
    detail::region_begins(state, frame);
}

inline void counted_region_ends(const ThreadState& state, const Frame& frame) {
  if (observing()) [[unlikely]]
    detail::region_ends(state, frame);
}

}  // namespace muster
