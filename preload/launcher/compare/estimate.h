// Medians, and how sure a ratio of them is.
#pragma once

#include <cstddef>
#include <vector>

namespace muster::launcher {

// Of at least one value.
double median(std::vector<double> values);

struct Interval {
  double value = 0;
  double low = 0;
  double high = 0;
  std::size_t best = 0;  // which of the rivals is the best
};

// How many times better `values` are than the best of the rivals: a ratio of medians, with the 95 % interval of the
// percentile bootstrap. Which rival is the best is chosen anew in each resample, so the choice is part of the
// interval. Always the same result for the same values.
Interval gain_over_best(const std::vector<double>& values,
                        const std::vector<std::vector<double>>& rivals, bool more_is_better);

}  // namespace muster::launcher
