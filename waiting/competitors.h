// Whether competitors want the team's CPUs, inferred from missing time.
//
// One observation says little about the next second: it may have been a daemon's millisecond or a process that stays.
// So an observation counts for a short time first. If the next one follows soon after that time, the competitor is
// likely to stay, and each further observation counts twice as long as the one before.
#pragma once

#include <atomic>
#include <cstdint>

#include "waiting/deadline.h"
#include "waiting/tuning.h"

namespace muster {

// One for all threads of a team. Relaxed throughout: an observation that is lost or counted twice only costs time.
class Competitors {
 public:
  bool near(std::uint64_t now_ns) const {
    return is_ahead(near_until_ns_.load(std::memory_order_relaxed), now_ns,
                    tuning::kLongestSightingNs);
  }

  // Not how long it counts: a competitor that was here once in that time may be asleep now.
  bool seen_lately(std::uint64_t now_ns) const {
    return is_ahead(seen_ns_.load(std::memory_order_relaxed) + tuning::kLatelyNs, now_ns,
                    tuning::kLatelyNs);
  }

  void see(std::uint64_t now_ns) {
    std::uint64_t counts_ns = counts_ns_.load(std::memory_order_relaxed);
    const std::uint64_t until_ns = near_until_ns_.load(std::memory_order_relaxed);
    if (!is_ahead(until_ns, now_ns, tuning::kLongestSightingNs)) {
      const bool again = now_ns < until_ns + 2 * counts_ns;
      counts_ns = !again                                   ? tuning::kSightingNs
                  : counts_ns < tuning::kLongestSightingNs ? 2 * counts_ns
                                                           : tuning::kLongestSightingNs;
      counts_ns_.store(counts_ns, std::memory_order_relaxed);
    }
    seen_ns_.store(now_ns, std::memory_order_relaxed);
    near_until_ns_.store(now_ns + counts_ns, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> near_until_ns_{0};
  std::atomic<std::uint64_t> seen_ns_{0};
  std::atomic<std::uint64_t> counts_ns_{tuning::kSightingNs};
};

}  // namespace muster
