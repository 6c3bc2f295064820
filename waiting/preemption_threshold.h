// How long a thread may be off its CPU before a competitor must have had it.
//
// Half a millisecond off the CPU means that another thread had a turn, and the turns of threads that only compute last
// for 3 ms and more. But where teammates share a CPU and have coarse work, the missing time is the others' work: eight
// threads with 100 us each take 0.8 ms. So the threshold is higher where instances take long, but never so high that a
// CPU hog's turn would pass for work.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "waiting/episode.h"
#include "waiting/tuning.h"

namespace muster {

// One for a team. Relaxed: two threads that call learn() at once spoil one value, for 10 ms.
class PreemptionThreshold {
 public:
  std::uint64_t ns() const {
    return tuning::kPreemptedNs + std::min(2 * instance_ns(), tuning::kMostForWorkNs);
  }

  // From one instance to the next, on average over about 10 ms; 0: unknown.
  std::uint64_t instance_ns() const { return instance_ns_.load(std::memory_order_relaxed); }

  // Called about every 10 ms. Allows for two instances, since programs often alternate one with work before it and one
  // without.
  void learn(std::uint64_t now_ns, Episode episode) {
    const std::uint64_t since_ns = since_ns_.exchange(now_ns, std::memory_order_relaxed);
    const Episode since = since_.exchange(episode, std::memory_order_relaxed);
    if (since_ns == 0 || now_ns <= since_ns) return;
    const std::uint64_t instances = episode > since ? episode - since : 1;
    instance_ns_.store((now_ns - since_ns) / instances, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> instance_ns_{0};
  std::atomic<std::uint64_t> since_ns_{0};
  std::atomic<Episode> since_{0};
};

}  // namespace muster
