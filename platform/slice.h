// The time slice of the calling thread: how long it runs before another of its kind has its turn.
//
// Since Linux 6.12 a thread of the ordinary policy may ask for a slice of its own, 0.1 to 100 ms,
// without privileges. Its share of the CPU stays the same; with a shorter slice its turns are
// shorter and come sooner. Earlier kernels take the call and do nothing.
#pragma once

#include <cstdint>

namespace muster {

// Asks for `ns`. False, and nothing changed, when the kernel has no such slices or denies them, or
// when the thread is not one to touch: another policy, a nice value, or a slice that the program
// set itself (one that differs from that of process 1, or else from the first one seen).
bool ask_for_slice(std::uint64_t ns);

namespace detail {
extern thread_local constinit std::uint64_t t_slice_ns __attribute__((tls_model("initial-exec")));
void give_slice_back();
}  // namespace detail

// Whether the calling thread has asked and not given back.
inline bool has_requested_slice() { return detail::t_slice_ns != 0; }

// Back to the kernel's slice, unless somebody else has changed it since. Cheap when there is
// nothing to give back.
inline void give_slice_back() {
  if (has_requested_slice()) [[unlikely]]
    detail::give_slice_back();
}

}  // namespace muster
