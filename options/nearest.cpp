#include "options/nearest.h"

#include <algorithm>
#include <cstring>

namespace muster {
namespace {

constexpr std::size_t kMostCompared = 64;

}  // namespace

// Optimal string alignment: row i has the distances from the first i characters of `left`.
unsigned edit_distance(const char* left, std::size_t left_length, const char* right,
                       std::size_t right_length) {
  left_length = std::min(left_length, kMostCompared);
  right_length = std::min(right_length, kMostCompared);
  unsigned rows[3][kMostCompared + 1];
  for (unsigned j = 0; j <= right_length; ++j) rows[0][j] = j;
  for (unsigned i = 1; i <= left_length; ++i) {
    unsigned* const row = rows[i % 3];
    const unsigned* const above = rows[(i + 2) % 3];
    row[0] = i;
    for (unsigned j = 1; j <= right_length; ++j) {
      const bool equal = left[i - 1] == right[j - 1];
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (equal ? 0 : 1)});
      const bool swapped =
          i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
      if (swapped) row[j] = std::min(row[j], rows[(i + 1) % 3][j - 2] + 1);
    }
  }
  return rows[left_length % 3][right_length];
}

const Option& nearest_option(const char* name, std::size_t length) {
  const Option* nearest = &kOptions[0];
  unsigned least = ~0U;
  for (const Option& option : kOptions) {
    const unsigned distance =
        edit_distance(name, length, option.variable, std::strlen(option.variable));
    if (distance >= least) continue;
    least = distance;
    nearest = &option;
  }
  return *nearest;
}

}  // namespace muster
