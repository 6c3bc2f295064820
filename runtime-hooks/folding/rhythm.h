// When MUSTER_FORKJOIN=auto opens a fold: after some regions in a row, and the more of them the more
// often folds were closed before they paid.
#pragma once

namespace muster {

class Rhythm {
 public:
  explicit constexpr Rhythm(bool patient) : patient_(patient) {}

  // The initial thread begins a region that could be folded, no fold being open.
  bool time_to_open() {
    if (in_a_row_ >= wanted_) return true;
    ++in_a_row_;
    return false;
  }

  // After opening: the fold was closed when it had run this many regions.
  void closed_after(unsigned long regions) {
    in_a_row_ = 0;
    if (!patient_) return;
    if (regions < kPays) {
      if (wanted_ < kMostWanted) wanted_ *= 2;
    } else {
      wanted_ = kFirst;
    }
  }

  // Whether it waits for longer than it did at first.
  bool was_closed_often() const { return wanted_ > kFirst; }

 private:
  // Opening and closing cost about as much as a region of the runtime's and two half barriers; four
  // regions make up for that (benchmarks/worst_rhythm.py).
  static constexpr unsigned kPays = 4;
  static constexpr unsigned kFirst = 2;
  static constexpr unsigned kMostWanted = 1U << 14;

  bool patient_;
  unsigned wanted_ = patient_ ? kFirst : 0;
  unsigned in_a_row_ = 0;
};

}  // namespace muster
