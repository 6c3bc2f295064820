// What follows from the runs of a comparison: medians, gains, a verdict in words, and whether the results are the same.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "preload/launcher/compare/comparison.h"
#include "preload/launcher/compare/estimate.h"

namespace muster::launcher {

// One variant in one case. The median, least and most are of what is compared: seconds, or the figure.
struct VariantRow {
  std::size_t load = 0;
  std::size_t variant = 0;
  std::size_t runs = 0;       // with a value
  std::size_t timed_out = 0;  // their seconds are the limit
  double median = 0;
  double least = 0;
  double most = 0;
  double cpu_s = 0;                // median
  std::optional<Interval> gain{};  // Muster's over the best stock variant
  std::string over{};              // the name of that
};

struct Findings {
  std::vector<VariantRow> rows;      // with a run at least, by case and variant
  std::vector<std::string> verdict;  // a line for each variant with Muster
  std::vector<std::string> notes;
  // False: an output or status is the same in all stock runs of a case and another one with Muster.
  bool same_results = true;
};

Findings find(const Comparison& comparison);

// The values of the runs that are compared.
std::vector<double> values_of(const Comparison& comparison, std::size_t load, std::size_t variant);

// "1.23", "12.3", "1,230": a ratio as people read it.
std::string ratio_text(double ratio);
// "1.23 s", "12.3 ms"; of a figure, "12,300".
std::string value_text(const Comparison& comparison, double value);

}  // namespace muster::launcher
