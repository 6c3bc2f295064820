// How a barrier instance is called off, so that every thread of a team leaves it by another way
// out.
//
// Somebody who must not be passed by (in OpenMP: whoever creates a task, which the real barrier has
// to finish) stores the episode of its own next barrier before it arrives there. A thread whose
// episode is named so leaves the instance, whether it finds out on arrival, while it waits or on
// release. The store comes before the creator's arrival, and nobody is released before that
// arrival: so all threads agree. Episodes are compared, no flag is tested: a teammate that is
// already released may name its next one.
#pragma once

#include <atomic>

#include "platform/cache_line.h"
#include "waiting/episode.h"

namespace muster {

template <class Memory>
class Interruption {
 public:
  // Release: the caller's earlier stores are seen by whoever is interrupted. Returns false when it
  // had been said already; else the caller must wake who sleeps.
  bool call_off(Episode episode) {
    if (once_.load(std::memory_order_relaxed) == episode) return false;
    once_.store(episode, std::memory_order_release);
    return true;
  }

  // The same for this and all later instances, until reset().
  bool call_off_from(Episode episode) {
    if (from_.load(std::memory_order_relaxed) <= episode) return false;
    from_.store(episode, std::memory_order_release);
    return true;
  }

  bool calls_off(Episode episode) const {
    return once_.load(std::memory_order_acquire) == episode ||
           from_.load(std::memory_order_acquire) <= episode;
  }

  // Whether it was called off by call_off_from().
  bool lasts(Episode episode) const { return from_.load(std::memory_order_relaxed) <= episode; }

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

  // Read by every waiter at each poll, written rarely: a line of its own keeps it shared in all
  // caches.
  alignas(kCoherenceGranule) typename Memory::template Atomic<Episode> once_{kNone};
  typename Memory::template Atomic<Episode> from_{kNever};
};

}  // namespace muster
