// A report in JSON (docs/report-format.md), read back: what `muster merge` adds up.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace muster::launcher {

using Count = std::uint64_t;
using Counts = std::map<std::string, Count>;  // by name

struct Arrivals {
  Count replaced = 0;
  Count passed_through = 0;

  bool operator==(const Arrivals&) const = default;
};

struct RuntimeCopy {
  std::string kind;
  std::string path;
  std::string package;  // empty: none
  std::string reason;   // why it is not replaced; empty where it is

  auto operator<=>(const RuntimeCopy&) const = default;
};

struct RuntimeUse {
  Count reports = 0;
  Count arrivals_replaced = 0;
};

// Of one event of MUSTER_COUNTERS, by its name and source.
struct EventUse {
  Count reports = 0;  // that could count it
  Count waiting = 0;
  Count rest = 0;
};

// What can be added up.
struct Totals {
  Count regions = 0;
  Count instances_replaced = 0;
  Count largest_team = 0;  // the largest of all
  Arrivals barriers;
  std::map<std::string, Arrivals> by_entry;
  Counts by_reason;
  std::map<std::pair<std::string, Count>, Count> by_algorithm;    // and team size
  Counts waiting;                                                 // its plain counters
  std::vector<std::pair<std::optional<Count>, Count>> histogram;  // bound in ns, waits
  Counts runtime_yields;
  Counts fork_join;
  std::map<std::pair<std::string, std::string>, Count> fold_reasons;  // what happened, and why
  std::map<RuntimeCopy, RuntimeUse> runtimes;
  std::map<std::pair<std::string, std::string>, EventUse> events;  // name, source

  void add(const Totals& other);
};

struct ThreadRow {
  Count thread = 0;
  Count arrived_last = 0;
  Count waited_ns = 0;
  Count longest_wait_ns = 0;
  std::optional<double> imbalance;  // its share of the waiting over an equal share
};

struct ProcessReport {
  std::string file;
  std::string host;
  std::string program;
  std::int64_t pid = 0;
  std::int64_t rank = 0;
  std::string inactive_reason;  // empty: active
  std::map<std::string, std::string> settings;
  Totals totals;
  std::vector<ThreadRow> threads;
};

// Says in one line why a file is no report that can be merged.
struct NoReport : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws NoReport. `version` is the one that it must be of.
ProcessReport parse_report(const std::string& text, const std::string& version);
ProcessReport read_report(const std::string& path, const std::string& version);

}  // namespace muster::launcher
