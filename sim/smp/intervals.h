// Computation intervals between barriers: normally distributed, at least one unit of time (Tsafrir and
// Feitelson, section 2.1).
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/smp/task.h"
#include "waiting/random.h"

namespace muster::smp {

struct Interval {
  double mean = 0;
  double deviation = 0;
};

// Intervals of which 9 in 10, as drawn, are below `limit`: draws are rounded to whole units, so limit - 1/2 rounds up
// to the limit. Fine-grained is below CS, medium below 5 CS, by the paper's definition. What share of the mean the
// deviation is, it leaves open.
inline Interval interval_below(double limit, double deviation_share) {
  constexpr double kNineTenths = 1.2815515655446004;  // the normal distribution's quantile
  const double mean = std::max(limit - 0.5, 1.0) / (1 + kNineTenths * deviation_share);
  return {mean, mean * deviation_share};
}

class Intervals {
 public:
  // Every thread has a stream of its own, so that nothing depends on the order in which they draw.
  Intervals(const Interval& interval, std::uint64_t seed, unsigned thread)
      : interval_(interval), numbers_(seed * 0x9E3779B97F4A7C15U + thread) {
    numbers_.next();
  }

  Time draw() {
    if (interval_.deviation == 0) return at_least_one(interval_.mean);
    // Box and Muller's: the library's distributions differ between libraries.
    const double radius = std::sqrt(-2 * std::log(uniform()));
    const double angle = 2 * std::numbers::pi * uniform();
    return at_least_one(interval_.mean + interval_.deviation * radius * std::cos(angle));
  }

 private:
  // In (0, 1].
  double uniform() { return (numbers_.next() + 1.0) / 4294967296.0; }
  static Time at_least_one(double time) { return std::max<Time>(1, std::llround(time)); }

  const Interval interval_;
  MixedNumbers numbers_;
};

}  // namespace muster::smp
