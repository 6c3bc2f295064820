// The merged report for programs: as JSON, and as the lines of a spreadsheet.
#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "preload/launcher/merged_report.h"

namespace muster::launcher {
namespace {

using json = nlohmann::ordered_json;

template <class Value>
json or_null(const std::optional<Value>& value) {
  return value ? json(*value) : json(nullptr);
}

json or_null(const std::string& text) { return text.empty() ? json(nullptr) : json(text); }

json list_of(const Counts& counts, const char* key) {
  json list = json::array();
  for (const auto& [name, count] : counts) list.push_back({{key, name}, {"reports", count}});
  return list;
}

json object_of(const Counts& counts) {
  json object = json::object();
  for (const auto& [name, count] : counts) object[name] = count;
  return object;
}

json barriers_of(const Totals& totals) {
  json barriers = {{"replaced", totals.barriers.replaced},
                   {"passed_through", totals.barriers.passed_through},
                   {"instances_replaced", totals.instances_replaced},
                   {"by_entry", json::array()},
                   {"by_reason", json::array()},
                   {"by_algorithm", json::array()}};
  for (const auto& [entry, arrivals] : totals.by_entry) {
    barriers["by_entry"].push_back({{"entry", entry},
                                    {"replaced", arrivals.replaced},
                                    {"passed_through", arrivals.passed_through}});
  }
  for (const auto& [reason, count] : totals.by_reason) {
    barriers["by_reason"].push_back({{"reason", reason}, {"count", count}});
  }
  for (const auto& [use, count] : totals.by_algorithm) {
    barriers["by_algorithm"].push_back(
        {{"algorithm", use.first}, {"team_size", use.second}, {"replaced", count}});
  }
  return barriers;
}

json waiting_of(const Totals& totals) {
  json waiting = object_of(totals.waiting);
  waiting["ssr"] = or_null(spin_rate(totals));
  waiting["histogram"] = json::array();
  bool first = true;
  for (const auto& [bound, count] : totals.histogram) {
    waiting["histogram"].push_back(
        {{"quick", first}, {"below_ns", or_null(bound)}, {"count", count}});
    first = false;
  }
  return waiting;
}

json fork_join_of(const Totals& totals) {
  json fork_join = object_of(totals.fork_join);
  fork_join["by_reason"] = json::array();
  for (const auto& [what, count] : totals.fold_reasons) {
    fork_join["by_reason"].push_back(
        {{"what", what.first}, {"reason", what.second}, {"count", count}});
  }
  return fork_join;
}

json runtimes_of(const Totals& totals) {
  json list = json::array();
  for (const auto& [copy, use] : totals.runtimes) {
    list.push_back({{"path", copy.path},
                    {"package", or_null(copy.package)},
                    {"kind", copy.kind},
                    {"replaced", copy.reason.empty()},
                    {"reason", or_null(copy.reason)},
                    {"reports", use.reports},
                    {"arrivals_replaced", use.arrivals_replaced}});
  }
  return list;
}

json events_of(const Totals& totals) {
  json list = json::array();
  for (const auto& [event, use] : totals.events) {
    const bool counted = use.reports != 0;
    list.push_back({{"name", event.first},
                    {"source", event.second},
                    {"reports", use.reports},
                    {"waiting", counted ? json(use.waiting) : json(nullptr)},
                    {"rest", counted ? json(use.rest) : json(nullptr)}});
  }
  return list;
}

json row_of(const RankRow& row) {
  return {{"rank", row.rank},
          {"host", row.host},
          {"pid", row.pid},
          {"program", row.program},
          {"file", row.file},
          {"inactive_reason", or_null(row.inactive_reason)},
          {"threads", row.threads},
          {"regions", row.regions},
          {"arrivals_replaced", row.barriers.replaced},
          {"arrivals_passed_through", row.barriers.passed_through},
          {"instances_replaced", row.instances_replaced},
          {"waits", row.waits},
          {"waited_ns", row.waited_ns},
          {"waited_per_wait_ns", or_null(row.waited_per_wait_ns)},
          {"longest_wait_ns", row.longest_wait_ns},
          {"share", or_null(row.share)},
          {"least_imbalance", or_null(row.least_imbalance)},
          {"most_imbalance", or_null(row.most_imbalance)},
          {"waits_longest", or_null(row.waits_longest)},
          {"arrives_last_most", or_null(row.arrives_last_most)}};
}

json spread_of(const Spread& spread) {
  return {{"figure", spread.name}, {"least", spread.least},         {"median", spread.median},
          {"most", spread.most},   {"least_row", spread.least_row}, {"most_row", spread.most_row}};
}

json object_of(const Merged& merged, const std::string& version) {
  json settings = json::object();
  for (const auto& [name, values] : merged.settings) settings[name] = list_of(values, "value");
  json rows = json::array();
  for (const RankRow& row : merged.rows) rows.push_back(row_of(row));
  json spreads = json::array();
  for (const Spread& spread : merged.spreads) spreads.push_back(spread_of(spread));
  return {{"muster", version},
          {"source", "software"},
          {"merged", merged.rows.size()},
          {"hosts", list_of(merged.hosts, "host")},
          {"programs", list_of(merged.programs, "program")},
          {"ranks", merged.ranks},
          {"settings", settings},
          {"inactive", list_of(merged.inactive, "reason")},
          {"runtimes", runtimes_of(merged.totals)},
          {"regions", merged.totals.regions},
          {"largest_team", merged.totals.largest_team},
          {"barriers", barriers_of(merged.totals)},
          {"waiting", waiting_of(merged.totals)},
          {"runtime_yields", object_of(merged.totals.runtime_yields)},
          {"fork_join", fork_join_of(merged.totals)},
          {"counters", events_of(merged.totals)},
          {"reports", rows},
          {"spread", spreads}};
}

class Lines {
 public:
  void number(const char* section, const std::string& name, const std::string& detail,
              const std::string& value) {
    fmt::format_to(std::back_inserter(text_), "{},{},{},{}\n", section, quoted(name),
                   quoted(detail), value);
  }
  void count(const char* section, const std::string& name, const std::string& detail, Count value) {
    number(section, name, detail, std::to_string(value));
  }
  void text(const char* section, const std::string& name, const std::string& detail,
            const std::string& value) {
    number(section, name, detail, quoted(value));
  }
  std::string take() { return "section,name,detail,value\n" + std::move(text_); }

 private:
  // As RFC 4180 has it; a plain word stays as it is.
  static std::string quoted(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string field = "\"";
    for (const char c : text) field += c == '"' ? "\"\"" : std::string(1, c);
    return field + '"';
  }

  std::string text_;
};

void add_totals(const Totals& totals, Lines& out) {
  out.count("total", "regions", "", totals.regions);
  out.count("total", "largest_team", "", totals.largest_team);
  out.count("total", "replaced", "", totals.barriers.replaced);
  out.count("total", "passed_through", "", totals.barriers.passed_through);
  out.count("total", "instances_replaced", "", totals.instances_replaced);
  for (const auto& [entry, arrivals] : totals.by_entry) {
    out.count("entry", entry, "replaced", arrivals.replaced);
    out.count("entry", entry, "passed_through", arrivals.passed_through);
  }
  for (const auto& [reason, count] : totals.by_reason) out.count("reason", reason, "", count);
  for (const auto& [use, count] : totals.by_algorithm) {
    out.count("algorithm", use.first, std::to_string(use.second), count);
  }
  for (const auto& [name, count] : totals.waiting) out.count("waiting", name, "", count);
  if (const auto rate = spin_rate(totals)) {
    out.number("waiting", "ssr", "", fmt::format("{:.6f}", *rate));
  }
  for (std::size_t i = 0; i < totals.histogram.size(); ++i) {
    const auto& [bound, count] = totals.histogram[i];
    out.count("histogram",
              bound    ? "below_ns"
              : i == 0 ? "quick"
                       : "longer",
              bound ? std::to_string(*bound) : "", count);
  }
  for (const auto& [name, count] : totals.runtime_yields)
    out.count("runtime_yields", name, "", count);
  for (const auto& [name, count] : totals.fork_join) out.count("fork_join", name, "", count);
  for (const auto& [what, count] : totals.fold_reasons) {
    out.count(what.first == "closed" ? "fork_join_closed" : "fork_join_unfolded", what.second, "",
              count);
  }
  for (const auto& [copy, use] : totals.runtimes) {
    out.count("runtime", copy.path, copy.package, use.arrivals_replaced);
  }
  for (const auto& [event, use] : totals.events) {
    if (use.reports == 0) continue;
    out.count("counters", event.first, "waiting", use.waiting);
    out.count("counters", event.first, "rest", use.rest);
  }
}

// The detail is the process's number, in the order of the ranks.
void add_row(const RankRow& row, std::size_t number, Lines& out) {
  const json object = row_of(row);
  for (const auto& [name, value] : object.items()) {
    if (value.is_null()) continue;
    if (value.is_string()) {
      out.text("report", name, std::to_string(number), value.get<std::string>());
    } else {
      out.number("report", name, std::to_string(number), value.dump());
    }
  }
}

}  // namespace

std::string merged_json(const Merged& merged, const std::string& version) {
  // Names of files need not be UTF-8.
  return object_of(merged, version).dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string merged_csv(const Merged& merged, const std::string& version) {
  Lines out;
  out.text("merged", "muster", "", version);
  out.count("merged", "reports", "", merged.rows.size());
  for (const auto& [host, count] : merged.hosts) out.count("merged", "host", host, count);
  for (const auto& [program, count] : merged.programs)
    out.count("merged", "program", program, count);
  for (const auto& [reason, count] : merged.inactive)
    out.count("merged", "inactive", reason, count);
  add_totals(merged.totals, out);
  for (std::size_t i = 0; i < merged.rows.size(); ++i) add_row(merged.rows[i], i, out);
  for (const Spread& spread : merged.spreads) {
    out.number("spread", spread.name, "least", fmt::format("{}", spread.least));
    out.number("spread", spread.name, "median", fmt::format("{}", spread.median));
    out.number("spread", spread.name, "most", fmt::format("{}", spread.most));
  }
  return out.take();
}

}  // namespace muster::launcher
