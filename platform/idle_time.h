// How long CPUs have been idle, from /proc/stat.
#pragma once

#include <cstdint>

#include "platform/affinity.h"
#include "platform/kept_files.h"

namespace muster {

inline constexpr std::uint64_t kIdleTimeUnknown = ~std::uint64_t{0};

// The idle time of all CPUs of `mask` but `except` together, in ns since the machine started, in
// steps of 10 ms. kIdleTimeUnknown where /proc is not there or says something else, or where no
// descriptor is kept. One read: some 15 us on two CPUs, more on large machines.
std::uint64_t idle_ns_elsewhere(const AffinityMask& mask, unsigned except,
                                Files how = Files::kKept);

// So that it can be asked for later (kept_files.h).
void keep_idle_time();

// In the child of a fork: whoever was asking in the parent does not go on here.
void idle_time_after_fork_in_child();

// The same, of the text of /proc/stat.
std::uint64_t idle_ns_in(const char* text, const AffinityMask& mask, unsigned except);

}  // namespace muster
