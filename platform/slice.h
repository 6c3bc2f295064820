// The time slice of the calling thread: how long it runs before another thread of its class has its turn.
//
// Since Linux 6.12 a thread of the ordinary policy may request a slice of its own, 0.1 to 100 ms, without privileges.
// Its share of the CPU stays the same; with a shorter slice its turns are shorter and come sooner. Earlier kernels
// accept the call and ignore it.
#pragma once

#include <cstdint>

namespace muster {

// Requests `ns`. False, with nothing changed, if the kernel has no such slices or denies them, or if the thread must be
// left alone: too many threads have one already, it has another policy, a nice value, or a slice that the program set itself (one that differs from that
// of process 1, or if that is not readable, from the first one seen).
bool ask_for_slice(std::uint64_t ns);

namespace detail {
extern thread_local constinit std::uint64_t t_slice_ns __attribute__((tls_model("initial-exec")));
void give_slice_back();
}  // namespace detail

// Whether the calling thread has a requested slice.
inline bool has_requested_slice() { return detail::t_slice_ns != 0; }

// Restores the kernel's slice, unless the slice was changed since. Cheap if there is nothing to restore.
inline void give_slice_back() {
  if (has_requested_slice()) [[unlikely]]
    detail::give_slice_back();
}

// For all threads of the process, at the end of optional calls.
void give_all_slices_back();

// For the child of a fork: the parent's threads are not its own.
void forget_slices();

}  // namespace muster
