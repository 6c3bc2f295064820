// Whether the calling thread has a real-time scheduling policy. Then it keeps its CPU from every thread of lower
// priority for as long as it runs, even if it yields; only a sleep lets them run.
#pragma once

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "platform/optional_calls.h"

namespace muster {

namespace detail {
struct KnownPolicy {
  std::uint64_t until_ns = 0;
  bool real_time = false;
};
inline thread_local constinit KnownPolicy t_known_policy __attribute__((tls_model("initial-exec")));

inline bool has_real_time_policy() {
  const int saved = errno;
  const long policy = optional_call(SYS_sched_getscheduler, 0);
  errno = saved;
  return policy > 0 && ((policy & ~SCHED_RESET_ON_FORK) == SCHED_FIFO ||
                        (policy & ~SCHED_RESET_ON_FORK) == SCHED_RR);
}
}  // namespace detail

// As of the last 10 ms: a program may change it at any time. A load and a compare; every 10 ms a system call, about 0.1
// us. SCHED_DEADLINE does not count, since its threads have a budget.
inline bool runs_in_real_time(std::uint64_t now_ns) {
  constexpr std::uint64_t kLookEveryNs = 10'000'000;
  detail::KnownPolicy& known = detail::t_known_policy;
  if (known.until_ns - now_ns - 1 >= kLookEveryNs) {
    known = {now_ns + kLookEveryNs, detail::has_real_time_policy()};
  }
  return known.real_time;
}

}  // namespace muster
