// When MUSTER_FORKJOIN=auto opens a fold: if its budget allows it. A fold that is closed early costs more than it
// gains. The runtime then forks as many regions as keep that loss below a few per cent of the run time. Each such
// fold in a row costs twice as much budget as the previous one, so folding soon stops in a program that always closes
// folds early.
#pragma once

#include <cstdint>

namespace muster {

class FoldBudget {
 public:
  // A thread begins a region that could be folded, while its fold is closed.
  bool allows_opening() {
    if (budget_ >= 0) return true;
    ++budget_;
    return false;
  }

  // After opening: the fold was closed when it had run this many regions.
  void closed_after(std::uint64_t regions) {
    if (regions >= kPays) {
      failures_ = 0;
      budget_ += regions < kMostSaved ? static_cast<std::int64_t>(regions - kPays) * kGain : kMost;
      if (budget_ > kMost) budget_ = kMost;
    } else {
      budget_ -= static_cast<std::int64_t>(kPays - regions) * kGain << failures_;
      if (failures_ < kMostFailures) ++failures_;
    }
  }

  // Whether the budget was reduced by folds that were closed early.
  bool was_closed_often() const { return failures_ != 0; }

 private:
  // In regions that the runtime forks. Opening and closing cost as much as three folded regions gain,
  // and a folded one gains half of what the runtime's costs (campaigns/short_folds.py); of that,
  // one in 32 may be lost.
  static constexpr std::uint64_t kPays = 3;
  static constexpr std::int64_t kGain = 32 / 2;
  static constexpr std::int64_t kFirst = -2;  // the first two regions
  static constexpr std::int64_t kMost = 64;   // the most that long folds add to the budget
  static constexpr std::uint64_t kMostSaved = 8;
  static constexpr unsigned kMostFailures = 12;

  std::int64_t budget_ = kFirst;
  unsigned failures_ = 0;
};

}  // namespace muster
