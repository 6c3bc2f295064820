// Reports of several processes as one: their sums, and how they differ at barriers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "preload/launcher/report_file.h"

namespace muster::launcher {

// One process, by what its threads waited: at Muster's barriers, and for regions that it forks and joins.
struct RankRow {
  std::int64_t rank = 0;
  std::int64_t pid = 0;
  std::string host;
  std::string program;
  std::string file;
  std::string inactive_reason;
  Count threads = 0;  // of its largest team
  Count regions = 0;
  Arrivals barriers;
  Count instances_replaced = 0;
  Count waits = 0;
  Count waited_ns = 0;  // all of its threads together
  std::optional<double> waited_per_wait_ns;
  Count longest_wait_ns = 0;
  std::optional<double> share;  // of all waiting over an equal share of the processes
  // The least and the most of its threads' shares of its waiting over an equal share.
  std::optional<double> least_imbalance;
  std::optional<double> most_imbalance;
  std::optional<Count> waits_longest;      // the thread with the most of it
  std::optional<Count> arrives_last_most;  // the thread for which the others wait most often
};

// A figure over all processes that have it.
struct Spread {
  std::string name;
  std::string unit;  // "ns" or empty
  double least = 0;
  double median = 0;
  double most = 0;
  std::size_t least_row = 0;  // whose it is: the first, where several have it
  std::size_t most_row = 0;
};

struct Merged {
  Totals totals;
  std::vector<RankRow> rows;  // by rank, then host and process
  std::vector<Spread> spreads;
  Counts hosts;  // how many reports each
  Counts programs;
  std::vector<std::int64_t> ranks;  // each once
  std::map<std::string, Counts> settings;
  Counts inactive;  // by reason
};

Merged merge(const std::vector<ProcessReport>& reports);

// SSR of the sums; nothing where nobody waited.
std::optional<double> spin_rate(const Totals& totals);

// How it is shown: for people, as one JSON object, as section,name,detail,value lines.
std::string merged_text(const Merged& merged, const std::string& version);
std::string merged_json(const Merged& merged, const std::string& version);
std::string merged_csv(const Merged& merged, const std::string& version);

}  // namespace muster::launcher
