// A comparison as text: a table for each case, the notes, the verdict.
#include <fmt/format.h>

#include <algorithm>

#include "preload/launcher/compare/findings.h"
#include "preload/launcher/shell_quote.h"

namespace muster::launcher {
namespace {

constexpr const char* kBold = "\033[1m";
constexpr const char* kPlain = "\033[0m";

std::string gain_text(const VariantRow& row) {
  if (!row.gain) return "";
  return fmt::format("{} ({} to {}) of {}", ratio_text(row.gain->value), ratio_text(row.gain->low),
                     ratio_text(row.gain->high), row.over);
}

}  // namespace

std::string comparison_text(const Comparison& comparison, bool colored) {
  const Findings found = find(comparison);
  std::size_t width = 7;
  for (const Variant& variant : comparison.variants) width = std::max(width, variant.name.size());
  for (const LoadCase& each : comparison.loads) width = std::max(width, name_of(each).size());
  std::string text;
  std::size_t load = SIZE_MAX;
  for (const VariantRow& row : found.rows) {
    if (row.load != load) {
      load = row.load;
      text += fmt::format("{:<{}}  {:>4} {:>11} {:>11} {:>11} {:>11}  {}\n",
                          name_of(comparison.loads[load]), width, "runs", "median", "least", "most",
                          "CPU time", "times as fast");
    }
    const std::string line = fmt::format(
        "{:<{}}  {:>4} {:>11} {:>11} {:>11} {:>11}  {}", comparison.variants[row.variant].name,
        width, row.runs, value_text(comparison, row.median), value_text(comparison, row.least),
        value_text(comparison, row.most), fmt::format("{:.2f} s", row.cpu_s), gain_text(row));
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    const bool is_last = &row == &found.rows.back() || (&row + 1)->load != load;
    if (is_last) text += "\n";
  }
  for (const std::string& note : found.notes) text += note + "\n";
  text += "\n";
  for (const std::string& line : found.verdict) {
    text += colored ? fmt::format("{}{}{}\n", kBold, line, kPlain) : line + "\n";
  }
  return text;
}

}  // namespace muster::launcher
