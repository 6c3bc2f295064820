#include "preload/launcher/merged_report.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <tuple>

namespace muster::launcher {
namespace {

using Count = std::uint64_t;

Count count_of(const json& value) { return value.is_null() ? 0 : value.get<Count>(); }

json ratio(double part, double whole) { return whole > 0 ? json(part / whole) : json(nullptr); }

// Counts a report in the list's element {name: value, "reports": n}.
void tally(json& list, const char* name, const json& value) {
  if (list.is_null()) list = json::array();
  if (value.is_null()) return;
  for (json& element : list) {
    if (element[name] != value) continue;
    element["reports"] = count_of(element["reports"]) + 1;
    return;
  }
  list.push_back({{name, value}, {"reports", 1}});
}

// Null is nothing known and changes no sum.
void add_value(json& sum, const json& value, Merge merge) {
  if (value.is_null()) return;
  if (merge == Merge::kSum) sum = count_of(sum) + count_of(value);
  if (merge == Merge::kLargest) sum = std::max(count_of(sum), count_of(value));
  if (merge == Merge::kKey) sum = value;
}

// Returns whether `object` has a value for each sum.
bool add_object(json& sums, const json& object, unsigned group) {
  bool known = true;
  const FieldRange range = fields_of(group);
  for (unsigned i = range.begin; i < range.end; ++i) {
    const Row& row = row_of(i);
    const bool settings = group == GroupId("setting").index;
    if (row.merge == Merge::kNot || (row.merge == Merge::kTally && !settings)) continue;
    json& sum = sums[row.key];
    if (row.merge == Merge::kTally) tally(sum, "value", object.at(row.key));
    if (row.merge == Merge::kReports || row.merge == Merge::kTally) continue;
    add_value(sum, object.at(row.key), row.merge);
    if (row.merge == Merge::kSum && object.at(row.key).is_null()) known = false;
  }
  if (sums.contains("ssr")) {
    const auto waits = static_cast<double>(count_of(sums["waits"]));
    sums["ssr"] =
        ratio(std::min(waits, static_cast<double>(count_of(sums["spins_succeeded"]))), waits);
  }
  return known;
}

std::size_t find_element(json& list, const json& element, unsigned group) {
  const FieldRange range = fields_of(group);
  const auto equal = [&](const json& other) {
    for (unsigned i = range.begin; i < range.end; ++i) {
      const Row& row = row_of(i);
      if (row.merge == Merge::kKey && other.at(row.key) != element.at(row.key)) return false;
    }
    return true;
  };
  const auto found = std::find_if(list.begin(), list.end(), equal);
  const auto index = static_cast<std::size_t>(found - list.begin());
  if (found == list.end()) list.push_back(json::object());
  return index;
}

bool has(unsigned group, Merge merge) {
  const FieldRange range = fields_of(group);
  for (unsigned i = range.begin; i < range.end; ++i) {
    if (row_of(i).merge == merge) return true;
  }
  return false;
}

void add_list(json& sums, const json& list, unsigned group) {
  if (sums.is_null()) sums = json::array();
  std::set<std::size_t> with_values;
  for (const json& element : list) {
    const std::size_t index = find_element(sums, element, group);
    if (add_object(sums[index], element, group)) with_values.insert(index);
  }
  if (!has(group, Merge::kReports)) return;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i]["reports"] = count_of(sums[i]["reports"]) + with_values.count(i);
  }
}

void add_group(json& merged, const json& report, unsigned group) {
  const char* path = group_row(group).path;
  const json* found = find_group(report, group);
  if (found == nullptr || !(has(group, Merge::kSum) || has(group, Merge::kTally))) return;
  json* sums = &merged;
  std::istringstream names(path);
  for (std::string name; std::getline(names, name, '.');)
    sums = &(*sums)[name.substr(0, name.find('['))];
  if (is_list(path)) {
    add_list(*sums, *found, group);
  } else {
    add_object(*sums, *found, group);
  }
}

// The largest first.
void sort_by(const char* key, json& sites) {
  std::sort(sites.begin(), sites.end(), [key](const json& left, const json& right) {
    return count_of(left.at(key)) > count_of(right.at(key));
  });
}

// An element of "reports".
json report_row(const json& report) {
  const json& waiting = report.at("waiting");
  const json& barriers = report.at("barriers");
  Count longest = 0;
  Count most_last = 0;
  json least, most, waits_longest, arrives_last_most;
  for (const json& thread : report.at("threads")) {
    longest = std::max(longest, count_of(thread.at("longest_wait_ns")));
    if (const Count last = count_of(thread.at("arrived_last")); last > most_last) {
      most_last = last;
      arrives_last_most = thread.at("thread");
    }
    const json& imbalance = thread.at("imbalance");
    if (imbalance.is_null()) continue;
    if (least.is_null() || imbalance < least) least = imbalance;
    if (!most.is_null() && imbalance <= most) continue;
    most = imbalance;
    waits_longest = thread.at("thread");
  }
  const Count waits = count_of(waiting.at("waits"));
  const Count waited = count_of(waiting.at("waited_ns"));
  return {{"rank", report.at("rank")},
          {"pid", report.at("pid")},
          {"threads", report.at("largest_team")},
          {"arrivals_replaced", barriers.at("replaced")},
          {"waited_ns", waited},
          {"waited_per_wait_ns", ratio(static_cast<double>(waited), static_cast<double>(waits))},
          {"longest_wait_ns", longest},
          {"share", nullptr},
          {"least_imbalance", least},
          {"most_imbalance", most},
          {"host", report.at("host")},
          {"program", report.at("program")},
          {"file", report.at("file")},
          {"inactive_reason", report.at("inactive_reason")},
          {"regions", report.at("regions")},
          {"arrivals_passed_through", barriers.at("passed_through")},
          {"instances_replaced", barriers.at("instances_replaced")},
          {"waits", waits},
          {"waits_longest", waits_longest},
          {"arrives_last_most", arrives_last_most}};
}

json rows_of(const std::vector<json>& reports, const json& waited_ns) {
  json rows = json::array();
  for (const json& report : reports) rows.push_back(report_row(report));
  std::sort(rows.begin(), rows.end(), [](const json& left, const json& right) {
    const auto key = [](const json& row) {
      return std::tie(row.at("rank"), row.at("host"), row.at("pid"));
    };
    return key(left) < key(right);
  });
  const auto waited = [](const json& row) { return row.at("waits") != 0; };
  const auto waiters = std::count_if(rows.begin(), rows.end(), waited);
  for (json& row : rows) {
    if (!waited(row)) continue;
    row["share"] = ratio(row.at("waited_ns").get<double>() * static_cast<double>(waiters),
                         static_cast<double>(count_of(waited_ns)));
  }
  return rows;
}

// Null where no process has the figure.
json spread_of(const json& rows, const char* figure, const char* field, bool only_waiters) {
  std::vector<std::pair<double, std::size_t>> values;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i][field].is_null() || (only_waiters && rows[i]["waits"] == 0)) continue;
    values.emplace_back(rows[i][field].get<double>(), i);
  }
  if (values.empty()) return nullptr;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[half].first
                                               : (values[half - 1].first + values[half].first) / 2;
  const auto first_of_most = std::find_if(values.begin(), values.end(), [&](const auto& value) {
    return value.first == values.back().first;
  });
  return {{"figure", figure},
          {"least", values.front().first},
          {"median", median},
          {"most", values.back().first},
          {"least_row", values.front().second},
          {"most_row", first_of_most->second}};
}

}  // namespace

json merge(const std::vector<json>& reports) {
  json merged = {{"muster", reports.front().at("muster")},
                 {"format", kReportFormat},
                 {"merged", reports.size()}};
  std::set<std::int64_t> ranks;
  for (const json& report : reports) {
    ranks.insert(report.at("rank").get<std::int64_t>());
    tally(merged["hosts"], "host", report.at("host"));
    tally(merged["programs"], "program", report.at("program"));
    tally(merged["inactive"], "reason", report.at("inactive_reason"));
  }
  merged["ranks"] = ranks;
  for (unsigned group = 0; group < kGroupCount; ++group) {
    if (group_row(group).merged_only) continue;
    for (const json& report : reports) add_group(merged, report, group);
  }
  sort_by("gain_ns", merged["call_sites"]["sites"]);
  sort_by("count", merged["fork_join"]["sites"]);
  const json rows = rows_of(reports, merged["waiting"]["waited_ns"]);
  json spreads = json::array();
  const struct {
    const char* figure;
    const char* field;
    bool only_waiters;  // where nobody waited for Muster, nothing is known of the waiting
  } figures[] = {{"arrivals_replaced", "arrivals_replaced", false},
                 {"waited_ns", "waited_ns", true},
                 {"waited_per_wait_ns", "waited_per_wait_ns", true},
                 {"longest_wait_ns", "longest_wait_ns", true},
                 {"imbalance", "most_imbalance", false}};
  for (const auto& [figure, field, only_waiters] : figures) {
    json spread = spread_of(rows, figure, field, only_waiters);
    if (!spread.is_null()) spreads.push_back(std::move(spread));
  }
  merged["reports"] = rows;
  merged["spread"] = spreads;
  return merged;
}

}  // namespace muster::launcher
