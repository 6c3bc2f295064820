// How long a thread of a team spins beside competitors before it blocks.
//
// Spinning is a bet that the missing teammates are running. The team's last waits tell how often it is won: mostly, with
// a competitor on one CPU; hardly ever, with one on each of sixteen. So a wait that is released while it spins doubles
// the time of the next ones, and a wait that spins in vain halves it. The longest is that of Peter et al., section 3.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "waiting/tuning.h"

namespace muster {

// One for a team. Relaxed: of two threads that note at once, one is not heard.
class SpinBudget {
 public:
  std::uint64_t ns() const { return ns_.load(std::memory_order_relaxed); }

  // How a wait beside competitors ended: `released` while it spun, or its time was up.
  void note(bool released) {
    const std::uint64_t before = ns();
    const std::uint64_t after = released ? std::min(2 * before, tuning::kSpinWithCompetitorNs)
                                         : std::max(before / 2, tuning::kLeastSpinNs);
    if (after != before) ns_.store(after, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> ns_{tuning::kSpinWithCompetitorNs};
};

}  // namespace muster
