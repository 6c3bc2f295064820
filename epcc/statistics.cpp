// See statistics.h.
#include "epcc/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace epcc {
namespace {

constexpr double kNormal95 = 1.96;      // two-sided 95 % of a normal distribution, in sd
constexpr double kOutlierBeyond = 3.0;  // in sd

double median_of_sorted(std::span<const double> sorted) {
  const std::size_t middle = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return sorted[middle];
  return std::midpoint(sorted[middle - 1], sorted[middle]);
}

}  // namespace

Summary summarize(std::span<const double> samples) {
  if (samples.empty()) return {};
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());

  Summary s;
  s.size = sorted.size();
  s.min = sorted.front();
  s.max = sorted.back();
  s.median = median_of_sorted(sorted);
  s.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(s.size);
  if (s.size == 1) return s;

  double squares = 0;
  for (const double x : sorted) squares += (x - s.mean) * (x - s.mean);
  s.sd = std::sqrt(squares / static_cast<double>(s.size - 1));
  s.interval95 = kNormal95 * s.sd;
  s.outliers = static_cast<std::size_t>(std::count_if(sorted.begin(), sorted.end(), [&](double x) {
    return std::abs(x - s.mean) > kOutlierBeyond * s.sd;
  }));
  return s;
}

Overhead overhead(const Summary& test, const Summary& reference) {
  return {.mean = test.mean - reference.mean,
          .median = test.median - reference.median,
          .interval95 = test.interval95 + reference.interval95};
}

}  // namespace epcc
