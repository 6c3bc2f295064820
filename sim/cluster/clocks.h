// The next thing that each of a fixed set of clocks has to do, and which is first: a tournament, whose
// winner is known at once and which is played again along one path when a clock is set. Of two at the
// same time the one with the lower number is first.
#pragma once

#include <bit>
#include <vector>

#include "sim/cluster/run.h"

namespace muster::cluster {

class Clocks {
 public:
  explicit Clocks(unsigned count)
      : leaves_(std::bit_ceil(count < 2 ? 2U : count)),
        times_(leaves_, kNever),
        winners_(2 * leaves_) {
    for (unsigned i = 0; i < leaves_; ++i) winners_[leaves_ + i] = i;
    for (unsigned i = leaves_ - 1; i >= 1; --i) play(i);
  }

  Nanoseconds next() const { return times_[winners_[1]]; }
  unsigned first() const { return winners_[1]; }
  void set(unsigned clock, Nanoseconds time) {
    if (times_[clock] == time) return;
    times_[clock] = time;
    for (unsigned i = (leaves_ + clock) / 2; i >= 1; i /= 2) play(i);
  }

 private:
  void play(unsigned i) {
    const unsigned left = winners_[2 * i];
    const unsigned right = winners_[2 * i + 1];
    winners_[i] = times_[right] < times_[left] ? right : left;
  }

  unsigned leaves_;
  std::vector<Nanoseconds> times_;
  std::vector<unsigned> winners_;  // 1 is the root, the children of i are 2i and 2i + 1
};

}  // namespace muster::cluster
