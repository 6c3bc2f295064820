// A pair of fences of unequal cost (an asymmetric fence).
//
// A thread that releases others stores a word and then checks whether a thread sleeps. A thread that goes to sleep sets
// a flag and then checks the word. Each needs its store ordered before its load: a full fence on both sides. On the
// releasing side that fence would wait for the cache line of the store, about one more line transfer for every barrier.
// So the side that is about to sleep pays for both, with membarrier(PRIVATE_EXPEDITED): a full fence on every CPU that
// runs a thread of this process.
//
// Measured: 0.28 us when no teammate runs, 2.6 us when one does; a release pays nothing. Without membarrier (before
// Linux 4.14, or denied) both sides use the ordinary full fence.
#pragma once

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "platform/missing.h"
#include "platform/optional_calls.h"

namespace muster {

enum class FenceMode : int { kUnknown, kAsymmetric, kEnding, kSymmetric };

// Written by the first heavy fence or register_fences(), and by end_heavy_fences(); read by every light fence. Until it is
// known the light fence is a full one, so the order of the first calls does not matter.
inline std::atomic<FenceMode> g_fence_mode{FenceMode::kUnknown};

// Registers the process for membarrier. Fast while the process has one thread; with several it takes an RCU grace
// period, 10 ms and more, once. So it is called early, or else by the first heavy fence: of a thread that is about to
// sleep. After fork() the child keeps its parent's registration.
inline void register_fences() {
  if (g_fence_mode.load(std::memory_order_relaxed) != FenceMode::kUnknown) return;
  const int saved = errno;
  const bool ok =
      optional_call(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0 &&
      optional_call(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
  if (!ok) note_missing(Missing::kMembarrier, errno);
  errno = saved;
  FenceMode unknown = FenceMode::kUnknown;
  g_fence_mode.compare_exchange_strong(unknown,
                                       ok ? FenceMode::kAsymmetric : FenceMode::kSymmetric);
}

// Orders the caller's earlier stores before its later loads, with respect to a thread that calls heavy_fence().
inline void light_fence() {
  if (g_fence_mode.load(std::memory_order_relaxed) == FenceMode::kAsymmetric) [[likely]] {
    std::atomic_signal_fence(std::memory_order_seq_cst);
  } else {
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
}

// The same, with respect to threads that call light_fence() or heavy_fence(). Returns false if the fence was refused (a
// seccomp filter installed after registration): the caller must not sleep without a limit.
inline bool heavy_fence() {
  register_fences();  // so that a light fence is cheap only if this one is heavy
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (g_fence_mode.load(std::memory_order_relaxed) == FenceMode::kSymmetric) return true;
  const int saved = errno;
  const bool ok = optional_call(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
  if (!ok) note_missing(Missing::kMembarrier, errno);
  errno = saved;
  return ok;
}

// From the return on, both fences are full and none needs membarrier. Until then a thread that is about to sleep is
// refused: it may not have been seen by a light fence that began earlier.
inline void end_heavy_fences() {
  if (g_fence_mode.exchange(FenceMode::kEnding) == FenceMode::kAsymmetric && !heavy_fence()) return;
  g_fence_mode.store(FenceMode::kSymmetric);
}

}  // namespace muster
