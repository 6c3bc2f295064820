// A quantity averaged over time, older values for less: half of it is of the last 32.768 ms. Linux's
// per-entity load tracking, in closed form instead of its steps of 1.024 ms.
#pragma once

#include <cmath>

#include "sim/smp/task.h"

namespace muster::smp {

class Decaying {
 public:
  // The value at `now`.
  double at(Time now) const { return level_ + (value_ - level_) * decay(now - since_); }
  // From now on the quantity is this.
  void set_level(Time now, double level) {
    value_ = at(now);
    since_ = now;
    level_ = level;
  }
  // The average itself jumps.
  void shift(Time now, double by) {
    value_ = at(now) + by;
    since_ = now;
  }
  double level() const { return level_; }

 private:
  static double decay(Time passed) {
    constexpr double kHalfLife = 32'768'000;
    return passed == 0 ? 1 : std::exp2(static_cast<double>(-passed) / kHalfLife);
  }

  double level_ = 0;
  double value_ = 0;
  Time since_ = 0;
};

}  // namespace muster::smp
