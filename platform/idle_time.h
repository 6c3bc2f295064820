// The idle time of CPUs, from /proc/stat.
#pragma once

#include <cstdint>

#include "platform/affinity.h"
#include "platform/kept_files.h"

namespace muster {

inline constexpr std::uint64_t kIdleTimeUnknown = ~std::uint64_t{0};

// The idle time of all CPUs of `mask` except `except` together, in ns since the machine started, in steps of 10 ms.
// kIdleTimeUnknown if /proc is not mounted or has an unknown format, or if no descriptor is kept. One read: about 15 us
// on two CPUs, more on large machines.
std::uint64_t idle_ns_elsewhere(const AffinityMask& mask, unsigned except,
                                Files how = Files::kKept);

// Opens the file for later reads (kept_files.h).
void keep_idle_time();

// For the child of a fork: a read that was under way in a thread of the parent does not continue here.
void idle_time_after_fork_in_child();

// The same, from the text of /proc/stat.
std::uint64_t idle_ns_in(const char* text, const AffinityMask& mask, unsigned except);

}  // namespace muster
