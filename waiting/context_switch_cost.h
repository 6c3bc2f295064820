// CS, the cost of a context switch on this machine: the unit of the `cs` policies.
#pragma once

#include <cstdint>

namespace muster {

inline constexpr std::uint64_t kDefaultContextSwitchNs = 2'000;

// Two threads on one CPU hand over to each other by futex; half the fastest round trip, in ns.
// Measured the first time it is asked for, once a process, in some 0.3 ms (thread-safe; later calls
// are a load). kDefaultContextSwitchNs when no threads can be made or the figure is beyond reason.
std::uint64_t context_switch_ns();

// The same without measuring: 0 when nobody has asked yet.
std::uint64_t context_switch_ns_if_measured();

}  // namespace muster
