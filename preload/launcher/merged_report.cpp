#include "preload/launcher/merged_report.h"

#include <algorithm>
#include <functional>
#include <tuple>

namespace muster::launcher {
namespace {

RankRow row_of(const ProcessReport& report) {
  const Totals& totals = report.totals;
  RankRow row{.rank = report.rank,
              .pid = report.pid,
              .host = report.host,
              .program = report.program,
              .file = report.file,
              .inactive_reason = report.inactive_reason,
              .threads = totals.largest_team,
              .regions = totals.regions,
              .barriers = totals.barriers,
              .instances_replaced = totals.instances_replaced,
              .waits = totals.waiting.at("waits"),
              .waited_ns = totals.waiting.at("waited_ns"),
              .waited_per_wait_ns = {},
              .longest_wait_ns = 0,
              .share = {},
              .least_imbalance = {},
              .most_imbalance = {},
              .waits_longest = {},
              .arrives_last_most = {}};
  if (row.waits != 0) {
    row.waited_per_wait_ns = static_cast<double>(row.waited_ns) / static_cast<double>(row.waits);
  }
  Count most_last = 0;
  for (const ThreadRow& thread : report.threads) {
    row.longest_wait_ns = std::max(row.longest_wait_ns, thread.longest_wait_ns);
    if (thread.arrived_last > most_last) {
      most_last = thread.arrived_last;
      row.arrives_last_most = thread.thread;
    }
    if (!thread.imbalance) continue;
    if (!row.least_imbalance || *thread.imbalance < *row.least_imbalance) {
      row.least_imbalance = thread.imbalance;
    }
    if (!row.most_imbalance || *thread.imbalance > *row.most_imbalance) {
      row.most_imbalance = thread.imbalance;
      row.waits_longest = thread.thread;
    }
  }
  return row;
}

using Figure = std::function<std::optional<double>(const RankRow&)>;

// Nothing where no process has the figure.
std::optional<Spread> spread_of(const std::vector<RankRow>& rows, const char* name,
                                const char* unit, const Figure& figure) {
  Spread spread{.name = name, .unit = unit};
  std::vector<double> values;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::optional<double> value = figure(rows[i]);
    if (!value) continue;
    if (values.empty() || *value < spread.least) {
      spread.least = *value;
      spread.least_row = i;
    }
    if (values.empty() || *value > spread.most) {
      spread.most = *value;
      spread.most_row = i;
    }
    values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  spread.median = values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  return spread;
}

std::vector<Spread> spreads_of(const std::vector<RankRow>& rows) {
  // Where nobody waited for Muster, nothing is known of the waiting.
  const auto if_waited = [](auto value) -> Figure {
    return [value](const RankRow& row) -> std::optional<double> {
      if (row.waits == 0) return std::nullopt;
      return static_cast<double>(value(row));
    };
  };
  const struct {
    const char* name;
    const char* unit;
    Figure figure;
  } figures[] = {
      {"arrivals_replaced", "", [](const RankRow& row) { return row.barriers.replaced; }},
      {"waited_ns", "ns", if_waited([](const RankRow& row) { return row.waited_ns; })},
      {"waited_per_wait_ns", "ns", [](const RankRow& row) { return row.waited_per_wait_ns; }},
      {"longest_wait_ns", "ns", if_waited([](const RankRow& row) { return row.longest_wait_ns; })},
      {"imbalance", "", [](const RankRow& row) { return row.most_imbalance; }},
  };
  std::vector<Spread> spreads;
  for (const auto& [name, unit, figure] : figures) {
    if (auto spread = spread_of(rows, name, unit, figure)) spreads.push_back(std::move(*spread));
  }
  return spreads;
}

}  // namespace

Merged merge(const std::vector<ProcessReport>& reports) {
  Merged merged;
  for (const ProcessReport& report : reports) {
    merged.totals.add(report.totals);
    merged.rows.push_back(row_of(report));
    ++merged.hosts[report.host];
    ++merged.programs[report.program];
    merged.ranks.push_back(report.rank);
    for (const auto& [name, value] : report.settings) ++merged.settings[name][value];
    if (!report.inactive_reason.empty()) ++merged.inactive[report.inactive_reason];
  }
  std::sort(merged.ranks.begin(), merged.ranks.end());
  merged.ranks.erase(std::unique(merged.ranks.begin(), merged.ranks.end()), merged.ranks.end());
  std::sort(merged.rows.begin(), merged.rows.end(), [](const RankRow& left, const RankRow& right) {
    return std::tie(left.rank, left.host, left.pid) < std::tie(right.rank, right.host, right.pid);
  });
  const Count all =
      merged.totals.waiting.count("waited_ns") != 0 ? merged.totals.waiting.at("waited_ns") : 0;
  const auto waiters = std::count_if(merged.rows.begin(), merged.rows.end(),
                                     [](const RankRow& row) { return row.waits != 0; });
  for (RankRow& row : merged.rows) {
    if (all == 0 || row.waits == 0) continue;
    row.share = static_cast<double>(row.waited_ns) * static_cast<double>(waiters) /
                static_cast<double>(all);
  }
  merged.spreads = spreads_of(merged.rows);
  return merged;
}

std::optional<double> spin_rate(const Totals& totals) {
  const Count waits = totals.waiting.at("waits");
  if (waits == 0) return std::nullopt;
  const Count succeeded = std::min(totals.waiting.at("spins_succeeded"), waits);
  return static_cast<double>(succeeded) / static_cast<double>(waits);
}

}  // namespace muster::launcher
