#include "preload/launcher/compare/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace muster::launcher {
namespace {

constexpr double kNothing = 0.01;    // a gain or loss below this is none
constexpr double kNarrow = 0.10;     // of an interval that shows that nothing was gained
constexpr std::size_t kFewRuns = 5;  // with fewer, an interval says little
constexpr double kMostLoad = 0.5;    // before the first run; with more, the machine was not idle

std::string in_case(const Comparison& comparison, std::size_t load) {
  return comparison.loads.size() > 1 ? name_of(comparison.loads[load]) + ": " : "";
}

// What follows from the gain of a row.
std::string phrase(const VariantRow& row, std::size_t timed_out_rivals) {
  const Interval& gain = *row.gain;
  const std::string range = fmt::format("{} to {}", ratio_text(gain.low), ratio_text(gain.high));
  if (row.timed_out > 0)
    return fmt::format("{} of {} runs ran out of time", row.timed_out, row.runs);
  if (row.runs < 2)
    return fmt::format("{} times as fast as {}, in one run", ratio_text(gain.value), row.over);
  if (gain.low > 1 + kNothing) {
    return timed_out_rivals > 0
               ? fmt::format("more than {} times as fast as {}", ratio_text(gain.low), row.over)
               : fmt::format("{} times as fast as {}", range, row.over);
  }
  if (gain.high < 1 - kNothing)
    return fmt::format("slower, {} times as fast as {}", range, row.over);
  if (gain.high - gain.low < kNarrow)
    return fmt::format("nothing gained, nothing lost ({} of {})", range, row.over);
  return fmt::format("no clear result ({} times as fast as {}): more rounds may tell", range,
                     row.over);
}

// The rows of a case. Muster's have a gain where a stock variant has values, too.
void add_rows(const Comparison& comparison, std::size_t load, Findings& found) {
  std::vector<std::vector<double>> rivals;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < comparison.variants.size(); ++i) {
    if (comparison.variants[i].is_muster) continue;
    std::vector<double> values = values_of(comparison, load, i);
    if (values.empty()) continue;
    rivals.push_back(std::move(values));
    names.push_back(comparison.variants[i].name);
  }
  for (std::size_t i = 0; i < comparison.variants.size(); ++i) {
    const std::vector<double> values = values_of(comparison, load, i);
    if (values.empty()) continue;
    VariantRow row{.load = load, .variant = i, .runs = values.size()};
    std::vector<double> cpu_s;
    for (const Run& run : comparison.runs) {
      if (run.load != load || run.variant != i) continue;
      cpu_s.push_back(run.cpu_s);
      row.timed_out += run.timed_out;
    }
    row.median = median(values);
    row.least = *std::min_element(values.begin(), values.end());
    row.most = *std::max_element(values.begin(), values.end());
    row.cpu_s = median(cpu_s);
    if (comparison.variants[i].is_muster && !rivals.empty()) {
      row.gain = gain_over_best(values, rivals, comparison.more_is_better);
      row.over = names[row.gain->best];
    }
    found.rows.push_back(std::move(row));
  }
}

void add_verdict(const Comparison& comparison, Findings& found) {
  for (std::size_t i = 0; i < comparison.variants.size(); ++i) {
    if (!comparison.variants[i].is_muster) continue;
    std::string line;
    for (const VariantRow& row : found.rows) {
      if (row.variant != i || !row.gain) continue;
      std::size_t timed_out_rivals = 0;
      for (const VariantRow& other : found.rows) {
        if (other.load == row.load && comparison.variants[other.variant].name == row.over) {
          timed_out_rivals += other.timed_out;
        }
      }
      line += (line.empty() ? "" : "; ") + in_case(comparison, row.load) +
              phrase(row, timed_out_rivals);
    }
    found.verdict.push_back(fmt::format("{}: {}.", comparison.variants[i].name,
                                        line.empty() ? "no runs to compare" : line));
  }
}

// What differs between runs of a case: the texts that the stock runs had, and each one of Muster's that is another.
struct Difference {
  std::set<std::string> stock;
  std::size_t stock_runs = 0;
  const Run* first_stock = nullptr;
  const Run* other = nullptr;
};

Difference compare(const Comparison& comparison, std::size_t load, const std::string Run::* text) {
  Difference found;
  const auto for_each = [&](bool with_muster, auto&& look) {
    for (const Run& run : comparison.runs) {
      const bool is_muster = comparison.variants[run.variant].is_muster;
      if (run.load == load && !run.timed_out && is_muster == with_muster) look(run);
    }
  };
  for_each(false, [&](const Run& run) {
    if (found.first_stock == nullptr) found.first_stock = &run;
    found.stock.insert(run.*text);
    ++found.stock_runs;
  });
  for_each(true, [&](const Run& run) {
    if (found.stock.count(run.*text) == 0 && found.other == nullptr) found.other = &run;
  });
  return found;
}

std::string shown(const Run& run, const std::string Run::* text, const char* ending) {
  return *ending == '\0' ? run.*text : fmt::format("runs/{}.{}", run.file, ending);
}

void add_differences(const Comparison& comparison, const char* what, const std::string Run::* text,
                     const char* ending, Findings& found) {
  std::string unsteady;  // the cases
  bool same = !comparison.runs.empty();
  for (std::size_t load = 0; load < comparison.loads.size(); ++load) {
    const Difference difference = compare(comparison, load, text);
    same = same && difference.stock.size() == 1 && difference.other == nullptr;
    if (difference.stock_runs == 0) continue;
    if (difference.stock.size() > 1) {
      unsteady += (unsteady.empty() ? "" : "; ") + name_of(comparison.loads[load]);
    } else if (difference.other != nullptr && difference.stock_runs > 1) {
      found.same_results = false;
      found.notes.push_back(
          fmt::format("{}{} DIFFERS WITH MUSTER: {}; all {} stock runs: {}",
                      in_case(comparison, load), what, shown(*difference.other, text, ending),
                      difference.stock_runs, shown(*difference.first_stock, text, ending)));
    } else if (difference.other != nullptr) {
      found.notes.push_back(
          fmt::format("{}{} with Muster differs from that of the only stock run; run more rounds",
                      in_case(comparison, load), what));
    }
  }
  if (!unsteady.empty()) {
    found.notes.push_back(fmt::format(
        "{} differs between stock runs, too, so it tells nothing ({})", what, unsteady));
  }
  if (same)
    found.notes.push_back(fmt::format("{}: the same in all runs{}", what,
                                      comparison.loads.size() > 1 ? " of a case" : ""));
}

// A status that all runs share is nothing to compare, but users should see that it is no success.
void note_failures(const Comparison& comparison, Findings& found) {
  std::map<std::string, std::size_t> failed;
  for (const Run& run : comparison.runs) {
    if (!run.timed_out && run.status != "0") ++failed[run.status];
  }
  const auto timed_out =
      static_cast<std::size_t>(std::count_if(comparison.runs.begin(), comparison.runs.end(),
                                             [](const Run& run) { return run.timed_out; }));
  if (timed_out > 0) {
    found.notes.push_back(
        fmt::format("{} of {} runs ended after the limit of {:g} s, which counts as their time",
                    timed_out, comparison.runs.size(), comparison.timeout_s));
  }
  for (const auto& [status, count] : failed) {
    found.notes.push_back(
        fmt::format("{} of {} runs ended with status {}", count, comparison.runs.size(), status));
  }
}

void note_conditions(const Comparison& comparison, Findings& found) {
  std::size_t fewest = SIZE_MAX;
  std::size_t with_value = 0;
  for (const VariantRow& row : found.rows) {
    fewest = std::min(fewest, row.runs);
    with_value += row.runs;
  }
  if (!found.rows.empty() && fewest < kFewRuns) {
    found.notes.push_back(
        fmt::format("few runs: with fewer than {} of each, an interval says little", kFewRuns));
  }
  if (!comparison.pattern.empty() && with_value < comparison.runs.size()) {
    found.notes.push_back(fmt::format("no figure in {} of {} outputs, which do not count",
                                      comparison.runs.size() - with_value, comparison.runs.size()));
  }
  if (comparison.machine.load_average > kMostLoad) {
    found.notes.push_back(
        fmt::format("the machine was not idle: a load average of {:.1f} before the first run",
                    comparison.machine.load_average));
  }
  if (!comparison.reported) return;
  if (comparison.arrivals_replaced + comparison.regions_folded == 0) {
    found.notes.emplace_back(
        "Muster replaced nothing in this program; `muster doctor -- CMD` tells why");
  } else {
    found.notes.push_back(
        fmt::format("Muster replaced {} arrivals and folded {} regions in a warm-up run",
                    comparison.arrivals_replaced, comparison.regions_folded));
  }
}

}  // namespace

std::vector<double> values_of(const Comparison& comparison, std::size_t load, std::size_t variant) {
  std::vector<double> values;
  for (const Run& run : comparison.runs) {
    if (run.load != load || run.variant != variant) continue;
    if (comparison.pattern.empty()) {
      values.push_back(run.elapsed_s);
    } else if (run.figure) {
      values.push_back(*run.figure);
    }
  }
  return values;
}

Findings find(const Comparison& comparison) {
  Findings found;
  for (std::size_t load = 0; load < comparison.loads.size(); ++load)
    add_rows(comparison, load, found);
  add_verdict(comparison, found);
  add_differences(comparison, "exit status", &Run::status, "", found);
  add_differences(comparison, "standard output", &Run::output, "out", found);
  add_differences(comparison, "standard error", &Run::errors, "err", found);
  note_failures(comparison, found);
  note_conditions(comparison, found);
  return found;
}

std::string ratio_text(double ratio) {
  if (!std::isfinite(ratio)) return "infinitely";
  return fmt::format("{:.{}f}", ratio, ratio < 9.995 ? 2 : ratio < 99.95 ? 1 : 0);
}

std::string value_text(const Comparison& comparison, double value) {
  if (comparison.pattern.empty()) {
    return value < 1 ? fmt::format("{:#.3g} ms", 1000 * value) : fmt::format("{:#.4g} s", value);
  }
  for (const auto& [size, unit] : {std::pair{1e9, "G"}, {1e6, "M"}, {1e3, "k"}}) {
    if (value >= size) return fmt::format("{:.3g} {}", value / size, unit);
  }
  return fmt::format("{:.3g}", value);
}

}  // namespace muster::launcher
