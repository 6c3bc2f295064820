// Limits how often a thread moves itself or requests a slice.
//
// A slice is given back at the end of a region, since threads and processes created afterwards inherit it. A move takes
// about ten system calls, more than a short region itself. In a program with short regions they are made now and then;
// in between, the thread mostly stays where the kernel placed it.
#pragma once

#include <cstdint>

namespace muster {

namespace detail {
inline thread_local constinit std::uint64_t t_asked_ns __attribute__((tls_model("initial-exec"))) =
    0;
}  // namespace detail

// Whether the calling thread may make such a request at `now_ns`; if so, assumes that it does. Calls with the same time
// count as one.
inline bool may_ask_scheduler(std::uint64_t now_ns) {
  constexpr std::uint64_t kAskAgainNs = 100'000;
  std::uint64_t& asked_ns = detail::t_asked_ns;
  if (now_ns != asked_ns && now_ns - asked_ns < kAskAgainNs) return false;
  asked_ns = now_ns;
  return true;
}

}  // namespace muster
