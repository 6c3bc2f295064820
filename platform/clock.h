// Monotonic time in nanoseconds. One read costs 20 to 30 ns (vDSO), so no fast path reads it.
#pragma once

#include <sys/syscall.h>
#include <time.h>

#include <cerrno>
#include <cstdint>

#include "platform/optional_calls.h"

namespace muster {

namespace detail {
inline std::uint64_t ns_of(const timespec& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

inline std::uint64_t read_clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return ns_of(now);
}

inline std::uint64_t read_cpu_time_ns(clockid_t clock) {
  const int saved = errno;
  timespec now{};
  optional_call(SYS_clock_gettime, clock, &now);
  errno = saved;
  return ns_of(now);
}
}  // namespace detail

inline std::uint64_t monotonic_ns() { return detail::read_clock_ns(CLOCK_MONOTONIC); }

// The CPU time of all threads of this process together, and of the calling thread. System calls; errno is preserved.
// 0 if they are not allowed.
inline std::uint64_t process_cpu_ns() { return detail::read_cpu_time_ns(CLOCK_PROCESS_CPUTIME_ID); }
inline std::uint64_t thread_cpu_ns() { return detail::read_cpu_time_ns(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace muster
