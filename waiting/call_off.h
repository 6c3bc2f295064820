// How a barrier instance is called off: every thread of the team leaves it without being released and enters the
// runtime's own barrier instead.
//
// A thread that needs the runtime's barrier (in OpenMP: one that creates a task, which that barrier has to finish)
// stores the episode of its own next barrier before it arrives there. A thread that finds its episode stored leaves the
// instance, whether it notices on arrival, while it waits or on release. The store comes before the arrival of the
// storing thread, and no thread is released before that arrival, so all threads agree. Episodes are compared instead of
// a flag because a teammate that is already released may store its next one.
#pragma once

#include <atomic>

#include "platform/cache_line.h"
#include "waiting/episode.h"

namespace muster {

template <class Memory>
class CallOff {
 public:
  // Release: a thread that finds its instance called off sees the caller's earlier stores. Returns false if the
  // instance was called off before; otherwise the caller must wake sleeping teammates.
  bool request(Episode episode) {
    if (once_.load(std::memory_order_relaxed) == episode) return false;
    once_.store(episode, std::memory_order_release);
    return true;
  }

  // The same for this and all later instances, until reset().
  bool request_from(Episode episode) {
    if (from_.load(std::memory_order_relaxed) <= episode) return false;
    from_.store(episode, std::memory_order_release);
    return true;
  }

  bool applies_to(Episode episode) const {
    return once_.load(std::memory_order_acquire) == episode ||
           from_.load(std::memory_order_acquire) <= episode;
  }

  // Whether it was called off by request_from().
  bool is_lasting(Episode episode) const {
    return from_.load(std::memory_order_relaxed) <= episode;
  }

  // Only while no thread is at a barrier of the team.
  void reset() {
    if (once_.load(std::memory_order_relaxed) != kNone)
      once_.store(kNone, std::memory_order_relaxed);
    if (from_.load(std::memory_order_relaxed) != kNever) {
      from_.store(kNever, std::memory_order_relaxed);
    }
  }

 private:
  static constexpr Episode kNone = 0;
  static constexpr Episode kNever = ~Episode{0};

  // Read by every waiter at each poll and rarely written: on a line of its own it stays shared in all caches.
  alignas(kCoherenceGranule) typename Memory::template Atomic<Episode> once_{kNone};
  typename Memory::template Atomic<Episode> from_{kNever};
};

}  // namespace muster
