#include "preload/launcher/cost_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>

namespace muster::launcher {
namespace {

constexpr const char* kMeanings[] = {
    "CS: to sleep and switch to another thread on the same CPU",
    "W: from the wake call until the sleeper runs on another CPU",
    "what that wake call costs the caller",
};
static_assert(std::size(kMeanings) == std::size(kCosts));

struct Summary {
  Cost least;
  std::optional<std::uint64_t> median_ns{};  // of the measured rounds
  std::size_t measured_rounds = 0;
  CostNote reason = CostNote::kMeasured;  // why the others were not measured: the last reason
};

Calibration least_of_all(const std::vector<Calibration>& rounds) {
  Calibration least = rounds.front();
  for (std::size_t i = 1; i < rounds.size(); ++i) least = least_of(least, rounds[i]);
  return least;
}

Summary summarize(const std::vector<Calibration>& rounds, const NamedCost& named) {
  std::vector<std::uint64_t> figures;
  Summary summary{.least = least_of_all(rounds).*named.cost};
  for (const Calibration& round : rounds) {
    const Cost& cost = round.*named.cost;
    if (cost.measured()) {
      figures.push_back(cost.ns);
    } else {
      summary.reason = cost.note;
    }
  }
  summary.measured_rounds = figures.size();
  if (!figures.empty()) {
    std::sort(figures.begin(), figures.end());
    summary.median_ns = figures[figures.size() / 2];
  }
  return summary;
}

std::string in_us(std::uint64_t ns) {
  return fmt::format("{:.2f} us", static_cast<double>(ns) / 1e3);
}

}  // namespace

std::vector<std::string> cost_rows(const std::vector<Calibration>& rounds) {
  std::vector<std::string> rows;
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < std::size(kCosts); ++i) {
    const Summary summary = summarize(rounds, kCosts[i]);
    std::string how = name_of(summary.least.note);
    if (summary.median_ns) {
      how = fmt::format("least of {}, median of rounds {}", summary.least.repeats,
                        in_us(*summary.median_ns));
    }
    rows.push_back(
        fmt::format("{:<15}{:>9}  {}", kCosts[i].name, in_us(summary.least.ns), kMeanings[i]));
    rows.push_back(fmt::format("{:<24}  ({})", "", how));
    if (summary.measured_rounds == rounds.size()) continue;
    notes.push_back(fmt::format("{:<15}{}: {} of {} rounds not measured ({})", "note",
                                kCosts[i].name, rounds.size() - summary.measured_rounds,
                                rounds.size(), name_of(summary.reason)));
  }
  rows.push_back(fmt::format("{:<15}a figure is believed from {} to {}", "bounds",
                             in_us(kLeastCostNs), in_us(kMostCostNs)));
  rows.insert(rows.end(), notes.begin(), notes.end());
  return rows;
}

std::string cost_json(const std::vector<Calibration>& rounds) {
  std::string text =
      fmt::format("{{\n  \"rounds\": {},\n  \"bounds_ns\": [{}, {}],\n  \"source\": \"software\"",
                  rounds.size(), kLeastCostNs, kMostCostNs);
  for (const NamedCost& named : kCosts) {
    const Summary summary = summarize(rounds, named);
    text += fmt::format(
        ",\n  \"{}\": {{\"ns\": {}, \"note\": \"{}\", \"repeats\": {}, \"median_ns\": {}, "
        "\"measured_rounds\": {}}}",
        named.key, summary.least.ns, name_of(summary.least.note), summary.least.repeats,
        summary.median_ns ? std::to_string(*summary.median_ns) : "null", summary.measured_rounds);
  }
  return text + "\n}\n";
}

}  // namespace muster::launcher
