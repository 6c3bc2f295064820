// How long a thread of a team spins before it blocks, where a spin is a bet: beside competitors, that the missing
// teammates are running; between regions, that the program's serial part is short. The team's last waits tell how often
// the bet is won: each that is won doubles the time of the next spins, each that is lost halves it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "waiting/tuning.h"

namespace muster {

// One for a team. Relaxed: of two threads that note at once, one is not heard.
class SpinBudget {
 public:
  explicit SpinBudget(std::uint64_t most_ns) : most_ns_(most_ns), ns_(most_ns) {}

  std::uint64_t ns() const { return ns_.load(std::memory_order_relaxed); }
  std::uint64_t most_ns() const { return most_ns_; }

  void note(bool won) {
    const std::uint64_t before = ns();
    const std::uint64_t after =
        won ? std::min(2 * before, most_ns_) : std::max(before / 2, tuning::kLeastSpinNs);
    if (after != before) ns_.store(after, std::memory_order_relaxed);
  }

 private:
  const std::uint64_t most_ns_;
  std::atomic<std::uint64_t> ns_;
};

// All that a team spins by.
class SpinTimes {
 public:
  explicit SpinTimes(bool passive)
      : passive_(passive),
        between_regions_(passive ? tuning::kSpinWithCompetitorNs : tuning::kSpinAloneNs) {}

  // The program's regions are rare: a spin for the next one would be in vain.
  bool regions_are_rare() const { return between_regions_.ns() <= tuning::kLeastSpinNs; }

  // Of a wait that begins.
  std::uint64_t ns(bool delays_others, bool between_regions) const {
    if (delays_others) return beside_competitors_.ns();
    if (between_regions) return between_regions_.ns();
    return passive_ && regions_are_rare() ? tuning::kSpinPassiveNs : between_regions_.most_ns();
  }

  // The spin was successful, or its time was up. Between regions, only the end of the wait tells whether it was too short.
  // Returns `released`.
  bool note_spin(bool released, bool delays_others, bool between_regions) {
    if (delays_others) beside_competitors_.note(released);
    if (between_regions && released) between_regions_.note(true);
    return released;
  }

  // A wait between regions slept, and ended after `ns`.
  void note_gap(std::uint64_t ns) { between_regions_.note(ns < between_regions_.most_ns()); }

 private:
  const bool passive_;
  SpinBudget beside_competitors_{tuning::kSpinWithCompetitorNs};
  SpinBudget between_regions_;
};

}  // namespace muster
