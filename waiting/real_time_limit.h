// The limit of a first phase that otherwise has none. Under a real-time policy of the scheduler a thread that spins or
// yields keeps its CPU from threads of lower priority, and the teammate that it waits for may be one of them.
#pragma once

#include <cstdint>

#include "waiting/scheduler.h"

namespace muster {

// Whether the first phase of a wait that began at `start_ns` has to end. Reads the clock, if there is a scheduler.
template <class Memory>
bool keeps_others_from_running([[maybe_unused]] std::uint64_t start_ns) {
  if constexpr (HasScheduler<Memory>) {
    constexpr std::uint64_t kLongestNs = 1'000'000;
    const std::uint64_t now_ns = Memory::now_ns();
    return now_ns - start_ns >= kLongestNs && Memory::Scheduler::runs_in_real_time(now_ns);
  } else {
    return false;
  }
}

}  // namespace muster
