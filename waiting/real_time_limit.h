// The end of a first phase that has none: under a real-time policy whoever spins or yields keeps its CPU
// from threads of a lower priority, and one of those may be the teammate that it waits for.
#pragma once

#include <cstdint>

namespace muster {

// Whether a wait that began at `start_ns` has to end by a sleep. Reads the clock.
template <class Memory>
bool keeps_others_from_running(std::uint64_t start_ns) {
  constexpr std::uint64_t kLongestNs = 1'000'000;
  const std::uint64_t now_ns = Memory::now_ns();
  return now_ns - start_ns >= kLongestNs && Memory::runs_in_real_time(now_ns);
}

}  // namespace muster
