#include "preload/launcher/report_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "runtime-hooks/runtimes/yields/runtime_yield.h"
#include "waiting/wait_stats.h"

namespace muster::launcher {
namespace {

using nlohmann::json;

constexpr const char* kWaitCounters[] = {
#define MUSTER_COUNTER(name) #name,
    MUSTER_WAIT_COUNTERS(MUSTER_COUNTER)
#undef MUSTER_COUNTER
        "waits"};
constexpr const char* kYieldCounters[] = {
#define MUSTER_COUNTER(name) #name,
    MUSTER_YIELD_COUNTERS(MUSTER_COUNTER)
#undef MUSTER_COUNTER
        "seen"};
constexpr const char* kForkJoinCounters[] = {"opened", "folded", "unfolded", "closed"};

// nlohmann's own texts name no key for a value of another type.
const json& member(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) throw NoReport(fmt::format("no '{}' in it", key));
  return *found;
}

Count count_of(const json& object, const char* key) {
  const json& value = member(object, key);
  if (!value.is_number_unsigned()) throw NoReport(fmt::format("'{}' is no count", key));
  return value.get<Count>();
}

std::int64_t number_of(const json& object, const char* key) {
  const json& value = member(object, key);
  if (!value.is_number_integer()) throw NoReport(fmt::format("'{}' is no number", key));
  return value.get<std::int64_t>();
}

// Empty for null.
std::string text_of(const json& object, const char* key) {
  const json& value = member(object, key);
  if (value.is_null()) return "";
  if (!value.is_string()) throw NoReport(fmt::format("'{}' is no text", key));
  return value.get<std::string>();
}

const json& object_of(const json& object, const char* key) {
  const json& value = member(object, key);
  if (!value.is_object()) throw NoReport(fmt::format("'{}' is no object", key));
  return value;
}

const json& list_of(const json& object, const char* key) {
  const json& value = member(object, key);
  if (!value.is_array()) throw NoReport(fmt::format("'{}' is no list", key));
  const bool objects =
      std::all_of(value.begin(), value.end(), [](const json& row) { return row.is_object(); });
  if (!objects) throw NoReport(fmt::format("'{}' is no list of objects", key));
  return value;
}

template <std::size_t size>
Counts counts_of(const json& object, const char* const (&names)[size]) {
  Counts counts;
  for (const char* name : names) counts[name] = count_of(object, name);
  return counts;
}

void read_barriers(const json& barriers, Totals& totals) {
  totals.barriers = {count_of(barriers, "replaced"), count_of(barriers, "passed_through")};
  totals.instances_replaced = count_of(barriers, "instances_replaced");
  for (const json& row : list_of(barriers, "by_entry")) {
    totals.by_entry[text_of(row, "entry")] = {count_of(row, "replaced"),
                                              count_of(row, "passed_through")};
  }
  for (const json& row : list_of(barriers, "by_reason")) {
    totals.by_reason[text_of(row, "reason")] += count_of(row, "count");
  }
  for (const json& row : list_of(barriers, "by_algorithm")) {
    totals.by_algorithm[{text_of(row, "algorithm"), count_of(row, "team_size")}] +=
        count_of(row, "replaced");
  }
}

void read_waiting(const json& waiting, Totals& totals) {
  totals.waiting = counts_of(waiting, kWaitCounters);
  for (const json& row : list_of(waiting, "histogram")) {
    std::optional<Count> bound;
    if (!member(row, "below_ns").is_null()) bound = count_of(row, "below_ns");
    totals.histogram.emplace_back(bound, count_of(row, "count"));
  }
}

void read_fork_join(const json& fork_join, Totals& totals) {
  totals.fork_join = counts_of(fork_join, kForkJoinCounters);
  for (const json& row : list_of(fork_join, "by_reason")) {
    totals.fold_reasons[{text_of(row, "what"), text_of(row, "reason")}] += count_of(row, "count");
  }
}

void read_runtimes(const json& report, Totals& totals) {
  for (const json& row : list_of(report, "runtimes")) {
    RuntimeUse& use = totals.runtimes[{text_of(row, "kind"), text_of(row, "path"),
                                       text_of(row, "package"), text_of(row, "reason")}];
    use.reports = 1;
    use.arrivals_replaced += count_of(row, "arrivals_replaced");
  }
}

// An event that this process could not count adds nothing, and no 0 either.
void read_events(const json& report, Totals& totals) {
  if (member(report, "counters").is_null()) return;
  for (const json& row : list_of(object_of(report, "counters"), "events")) {
    EventUse& use = totals.events[{text_of(row, "name"), text_of(row, "source")}];
    if (member(row, "waiting").is_null()) continue;
    use = {1, count_of(row, "waiting"), count_of(row, "rest")};
  }
}

ThreadRow read_thread(const json& row) {
  ThreadRow thread{.thread = count_of(row, "thread"),
                   .arrived_last = count_of(row, "arrived_last"),
                   .waited_ns = count_of(row, "waited_ns"),
                   .longest_wait_ns = count_of(row, "longest_wait_ns"),
                   .imbalance = {}};
  const json& imbalance = member(row, "imbalance");
  if (imbalance.is_number()) thread.imbalance = imbalance.get<double>();
  return thread;
}

void check_kind(const json& report, const std::string& version) {
  if (!report.is_object() || !report.contains("muster")) throw NoReport("not a report of Muster");
  if (report.contains("merged")) {
    throw NoReport("a merged report; give the reports that it was made of");
  }
  const std::string its = text_of(report, "muster");
  if (its != version) {
    throw NoReport(fmt::format("a report of Muster {}, this is Muster {}", its, version));
  }
}

template <class Map>
void add_counts(Map& sums, const Map& more) {
  for (const auto& [key, count] : more) sums[key] += count;
}

}  // namespace

void Totals::add(const Totals& other) {
  regions += other.regions;
  instances_replaced += other.instances_replaced;
  largest_team = std::max(largest_team, other.largest_team);
  barriers.replaced += other.barriers.replaced;
  barriers.passed_through += other.barriers.passed_through;
  for (const auto& [entry, arrivals] : other.by_entry) {
    by_entry[entry].replaced += arrivals.replaced;
    by_entry[entry].passed_through += arrivals.passed_through;
  }
  add_counts(by_reason, other.by_reason);
  add_counts(by_algorithm, other.by_algorithm);
  add_counts(waiting, other.waiting);
  add_counts(runtime_yields, other.runtime_yields);
  add_counts(fork_join, other.fork_join);
  add_counts(fold_reasons, other.fold_reasons);
  // Reports of one version have the same buckets.
  if (histogram.empty()) histogram.assign(other.histogram.size(), {});
  for (std::size_t i = 0; i < histogram.size() && i < other.histogram.size(); ++i) {
    histogram[i].first = other.histogram[i].first;
    histogram[i].second += other.histogram[i].second;
  }
  for (const auto& [copy, use] : other.runtimes) {
    runtimes[copy].reports += use.reports;
    runtimes[copy].arrivals_replaced += use.arrivals_replaced;
  }
  for (const auto& [event, use] : other.events) {
    events[event].reports += use.reports;
    events[event].waiting += use.waiting;
    events[event].rest += use.rest;
  }
}

ProcessReport parse_report(const std::string& text, const std::string& version) {
  const json report = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (report.is_discarded()) throw NoReport("not JSON, or not all of it");
  check_kind(report, version);
  ProcessReport process;
  process.host = text_of(report, "host");
  process.program = text_of(report, "program");
  process.pid = number_of(report, "pid");
  process.rank = number_of(report, "rank");
  process.inactive_reason = text_of(report, "inactive_reason");
  const json& settings = object_of(report, "settings");
  for (const auto& [name, value] : settings.items()) {
    if (!value.is_null()) process.settings[name] = text_of(settings, name.c_str());
  }
  Totals& totals = process.totals;
  totals.regions = count_of(report, "regions");
  totals.largest_team = count_of(report, "largest_team");
  read_barriers(object_of(report, "barriers"), totals);
  read_waiting(object_of(report, "waiting"), totals);
  totals.runtime_yields = counts_of(object_of(report, "runtime_yields"), kYieldCounters);
  read_fork_join(object_of(report, "fork_join"), totals);
  read_runtimes(report, totals);
  read_events(report, totals);
  for (const json& row : list_of(report, "threads")) process.threads.push_back(read_thread(row));
  return process;
}

ProcessReport read_report(const std::string& path, const std::string& version) {
  std::string text;
  FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) throw NoReport(std::strerror(errno));
  char buffer[65536];
  for (std::size_t n = 1; n > 0;) {
    n = std::fread(buffer, 1, sizeof buffer, file);
    text.append(buffer, n);
  }
  const int error = std::ferror(file) != 0 ? errno : 0;  // a folder can be opened
  std::fclose(file);
  if (error != 0) throw NoReport(std::strerror(error));
  ProcessReport process = parse_report(text, version);
  process.file = path;
  return process;
}

}  // namespace muster::launcher
