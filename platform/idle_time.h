// The idle time of CPUs, from /proc/stat (platform/cpu_times.h).
//
// Its use is to compare its growth with half of a window: is a CPU idle? Time that the host of a virtual machine stole
// is neither idle nor used by anybody in it, so it must not count in the comparison: the question is whether the CPU
// was idle for half of the time that the host gave,
//
//     idle > (window - stolen) / 2    or    idle + stolen / 2 > window / 2.
//
// So half of the stolen time is added to the idle time. Where the idle times of several CPUs are added up, the window is
// one CPU's: what counts is half of the mean stolen time. A CPU that is stolen all the time is not idle.
#pragma once

#include <cstdint>

#include "platform/affinity.h"
#include "platform/cpu_times.h"
#include "platform/kept_files.h"

namespace muster {

inline constexpr std::uint64_t kIdleTimeUnknown = ~std::uint64_t{0};

// Of several CPUs together, in ns since the machine started.
struct SumOfTimes {
  std::uint64_t idle_ns = 0;
  std::uint64_t stolen_ns = 0;
  unsigned cpus = 0;  // 0: nothing is known

  // For comparisons with half of a window.
  std::uint64_t idle_with_half_of_stolen_ns() const {
    return cpus == 0 ? kIdleTimeUnknown : idle_ns + stolen_ns / (2 * std::uint64_t{cpus});
  }
};

// Of all CPUs of `mask` except `except`. cpus is 0 if /proc is not mounted or has an unknown format, or if no
// descriptor is kept.
SumOfTimes sum_of_times(const AffinityMask& mask, unsigned except, Files how = Files::kKept);

// The same, from the text of /proc/stat.
SumOfTimes sum_of_times_in(const char* text, const AffinityMask& mask, unsigned except);

// The idle time of those CPUs, with half of the mean stolen time; kIdleTimeUnknown where nothing is known.
inline std::uint64_t idle_ns_elsewhere(const AffinityMask& mask, unsigned except,
                                       Files how = Files::kKept) {
  return sum_of_times(mask, except, how).idle_with_half_of_stolen_ns();
}

// The same, of the calling thread's CPUs; kIdleTimeUnknown also while another thread asks. Needs little stack: waiting
// threads call it.
std::uint64_t idle_ns_elsewhere(unsigned except);

// For the child of a fork: a call of another thread of the parent does not continue there.
void idle_time_after_fork_in_child();

// Opens the file for later reads (kept_files.h).
void keep_idle_time();

}  // namespace muster
