// Statistics over repeated timings, after EPCC's: mean, median, spread, outliers, and what is left
// of a timing once the reference's is subtracted. No unit of its own: what goes in comes out.
#pragma once

#include <cstddef>
#include <span>

namespace epcc {

struct Summary {
  std::size_t size = 0;
  double mean = 0;
  double median = 0;
  double min = 0;
  double max = 0;
  double sd = 0;             // of the sample: divided by size - 1
  double interval95 = 0;     // 1.96 sd: half the width that 95 % of single runs fall into
  std::size_t outliers = 0;  // runs more than 3 sd from the mean; none can be in samples below 11
};

// `samples` may be in any order; a single sample has sd 0; none at all gives a Summary of zeros.
Summary summarize(std::span<const double> samples);

struct Overhead {
  double mean = 0;        // mean(test) - mean(reference)
  double median = 0;      // median(test) - median(reference): the one to compare by
  double interval95 = 0;  // EPCC's bound: the two half-widths added
};

Overhead overhead(const Summary& test, const Summary& reference);

}  // namespace epcc
