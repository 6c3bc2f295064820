// How often a thread moves or asks the scheduler for a slice.
//
// A slice is given back when a region ends, since whatever the thread starts afterwards inherits it, and a
// move takes some ten system calls, more than a short region itself. In a program of short regions they
// are done now and then, and between two times the kernel leaves the thread where it is most of the time.
#pragma once

#include <cstdint>

namespace muster {

namespace detail {
inline thread_local constinit std::uint64_t t_asked_ns __attribute__((tls_model("initial-exec"))) =
    0;
}  // namespace detail

// Whether the calling thread may ask at `now_ns`, and if so takes it that it does. Several times
// with the same time are one.
inline bool may_ask_scheduler(std::uint64_t now_ns) {
  constexpr std::uint64_t kAskAgainNs = 100'000;
  std::uint64_t& asked_ns = detail::t_asked_ns;
  if (now_ns != asked_ns && now_ns - asked_ns < kAskAgainNs) return false;
  asked_ns = now_ns;
  return true;
}

}  // namespace muster
