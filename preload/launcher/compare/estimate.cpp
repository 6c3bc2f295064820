#include "preload/launcher/compare/estimate.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace muster::launcher {
namespace {

constexpr std::size_t kResamples = 4000;
constexpr double kOutside = 0.025;  // at each end of the interval
constexpr std::uint_fast32_t kSeed = 1;

double gain(double ours, double theirs, bool more_is_better) {
  const double above = more_is_better ? ours : theirs;
  const double below = more_is_better ? theirs : ours;
  return below > 0 ? above / below : HUGE_VAL;
}

// Not std::uniform_int_distribution, whose results depend on the C++ library.
std::vector<double> resampled(const std::vector<double>& values, std::mt19937& random) {
  std::vector<double> drawn(values.size());
  for (double& value : drawn) value = values[random() % values.size()];
  return drawn;
}

}  // namespace

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Interval gain_over_best(const std::vector<double>& values,
                        const std::vector<std::vector<double>>& rivals, bool more_is_better) {
  // The gain over the best rival is the least of the gains.
  Interval found{.value = HUGE_VAL};
  for (std::size_t i = 0; i < rivals.size(); ++i) {
    const double over_it = gain(median(values), median(rivals[i]), more_is_better);
    if (over_it >= found.value) continue;
    found.value = over_it;
    found.best = i;
  }
  std::mt19937 random(kSeed);
  std::vector<double> gains(kResamples, HUGE_VAL);
  for (double& least : gains) {
    const double ours = median(resampled(values, random));
    for (const std::vector<double>& rival : rivals) {
      least = std::min(least, gain(ours, median(resampled(rival, random)), more_is_better));
    }
  }
  std::sort(gains.begin(), gains.end());
  const auto outside = static_cast<std::size_t>(kOutside * kResamples);
  found.low = gains[outside];
  found.high = gains[kResamples - 1 - outside];
  return found;
}

}  // namespace muster::launcher
