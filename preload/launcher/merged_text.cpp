// The merged report for people.
#include <fmt/format.h>

#include <iterator>

#include "preload/launcher/merged_report.h"

namespace muster::launcher {
namespace {

class Text {
 public:
  template <class... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
  }
  // "  label              words"
  void row(const std::string& label, const std::string& words) {
    add("  {:<18} {}\n", label, words);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string readable(double ns) {
  if (ns < 1e3) return fmt::format("{:.0f} ns", ns);
  if (ns < 1e6) return fmt::format("{:.2f} us", ns / 1e3);
  if (ns < 1e9) return fmt::format("{:.2f} ms", ns / 1e6);
  return fmt::format("{:.2f} s", ns / 1e9);
}

std::string readable(const std::optional<double>& ns) { return ns ? readable(*ns) : "-"; }

std::string ratio(const std::optional<double>& value) {
  return value ? fmt::format("{:.2f}", *value) : "-";
}

std::string plural(Count count, const char* word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

// "a (3), b (1)"
std::string with_counts(const Counts& counts) {
  std::string words;
  for (const auto& [name, count] : counts) {
    words += fmt::format("{}{} ({})", words.empty() ? "" : ", ", name, count);
  }
  return words;
}

// "0-3, 7"
std::string ranges(const std::vector<std::int64_t>& numbers) {
  std::string words;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    words += fmt::format("{}{}", words.empty() ? "" : ", ", numbers[i]);
    if (last > i) words += fmt::format("-{}", numbers[last]);
    i = last + 1;
  }
  return words;
}

void add_head(const Merged& merged, const std::string& version, Text& out) {
  out.add("muster {} merged report: {}, {} ({}) on {}\n", version,
          plural(merged.rows.size(), "report"), plural(merged.ranks.size(), "rank"),
          ranges(merged.ranks), plural(merged.hosts.size(), "host"));
  out.row("hosts", with_counts(merged.hosts));
  out.row("programs", with_counts(merged.programs));
  std::string settings;
  for (const auto& [name, values] : merged.settings) {
    settings += fmt::format("{}{} ", settings.empty() ? "" : ", ", name);
    settings += values.size() == 1 ? values.begin()->first : with_counts(values);
  }
  out.row("settings", settings);
  for (const auto& [copy, use] : merged.totals.runtimes) {
    out.row("runtime",
            fmt::format("{}, {}{}: {} in {}", copy.kind, copy.path,
                        copy.package.empty() ? "" : fmt::format(" (package {})", copy.package),
                        copy.reason.empty()
                            ? fmt::format("barriers replaced, {} arrivals", use.arrivals_replaced)
                            : "passed through, because of " + copy.reason,
                        plural(use.reports, "report")));
  }
  for (const auto& [reason, count] : merged.inactive) {
    out.row("inactive", fmt::format("{}: {}", plural(count, "report"), reason));
  }
}

void add_barriers(const Totals& totals, Text& out) {
  out.row("regions", fmt::format("{}, largest team {}", totals.regions, totals.largest_team));
  out.row("barriers", fmt::format("{} arrivals replaced ({} barriers), {} passed through",
                                  totals.barriers.replaced, totals.instances_replaced,
                                  totals.barriers.passed_through));
  for (const auto& [entry, arrivals] : totals.by_entry) {
    out.add("    {:<28} {:>14} replaced {:>14} passed through\n", entry, arrivals.replaced,
            arrivals.passed_through);
  }
  for (const auto& [use, count] : totals.by_algorithm) {
    out.add("    on {:<19} x {:>4} {:>14} replaced\n", use.first, use.second, count);
  }
  for (const auto& [reason, count] : totals.by_reason) {
    out.add("    passed: {:<24} {:>14}\n", reason, count);
  }
}

void add_fork_join(const Totals& totals, Text& out) {
  out.row("fork and join",
          fmt::format("{} regions folded, {} not; {} folds opened, {} closed",
                      totals.fork_join.at("folded"), totals.fork_join.at("unfolded"),
                      totals.fork_join.at("opened"), totals.fork_join.at("closed")));
  for (const auto& [what, count] : totals.fold_reasons) {
    out.add(
        "    {:<36} {:>14}\n",
        fmt::format("{}: {}", what.first == "unfolded" ? "not folded" : what.first, what.second),
        count);
  }
}

void add_waiting(const Totals& totals, Text& out) {
  const auto waiting = [&](const char* name) { return totals.waiting.at(name); };
  const std::optional<double> rate = spin_rate(totals);
  out.row("SSR", !rate ? "nobody waited"
                       : fmt::format("{:.2f} %: {} of {} waits ended by spinning, last arriver "
                                     "excluded",
                                     100 * *rate, waiting("spins_succeeded"), waiting("waits")));
  out.row("waiting",
          fmt::format("{}, {} wake-ups, {} wake calls, {} yields, {} failed updates",
                      plural(waiting("blocks"), "block"), waiting("wakeups"), waiting("wake_calls"),
                      waiting("yields"), waiting("failed_updates")));
  out.row("teammates, CPUs",
          fmt::format("{} gave way, {} long yields, {} gatherings, {} moves, {} nudges, {} short "
                      "slices",
                      waiting("gave_way"), waiting("long_yields"), waiting("gatherings"),
                      waiting("moves"), waiting("nudges"), waiting("short_slices")));
  out.row("runtime's yields",
          fmt::format("{} seen: {} passed, {} skipped, {} naps, {} long",
                      totals.runtime_yields.at("seen"), totals.runtime_yields.at("passed"),
                      totals.runtime_yields.at("skipped"), totals.runtime_yields.at("naps"),
                      totals.runtime_yields.at("long_yields")));
  for (const auto& [event, use] : totals.events) {
    const std::string counted =
        use.reports == 0 ? "not counted"
                         : fmt::format("{} waiting, {} in the rest of regions ({})", use.waiting,
                                       use.rest, plural(use.reports, "report"));
    out.row("counter", fmt::format("{} ({}): {}", event.first, event.second, counted));
  }
}

// Several processes of one rank, or of a job without ranks, are told apart by their ids.
std::string name_of(const RankRow& row, const Merged& merged) {
  if (merged.ranks.size() == merged.rows.size()) return fmt::format("rank {}", row.rank);
  return fmt::format("rank {} (pid {})", row.rank, row.pid);
}

void add_rows(const Merged& merged, Text& out) {
  out.add(
      "  ranks              (waited: all threads; share: of all waiting over an equal share;\n");
  out.add("                     imbalance: least to most of its threads' shares of its own)\n");
  out.add("    {:>5} {:>8} {:>7} {:>14} {:>11} {:>11} {:>11} {:>6} {:>13}  {}\n", "rank", "pid",
          "threads", "replaced", "waited", "per wait", "longest", "share", "imbalance", "host");
  for (const RankRow& row : merged.rows) {
    const bool known = row.waits != 0;
    out.add("    {:>5} {:>8} {:>7} {:>14} {:>11} {:>11} {:>11} {:>6} {:>13}  {}\n", row.rank,
            row.pid, row.threads, row.barriers.replaced,
            known ? readable(static_cast<double>(row.waited_ns)) : "-",
            readable(row.waited_per_wait_ns),
            known ? readable(static_cast<double>(row.longest_wait_ns)) : "-", ratio(row.share),
            row.most_imbalance
                ? fmt::format("{:.2f} to {:.2f}", *row.least_imbalance, *row.most_imbalance)
                : "-",
            row.host);
  }
}

void add_spreads(const Merged& merged, Text& out) {
  if (merged.spreads.empty()) return;
  out.add("  over ranks         {:>14} {:>14} {:>14}\n", "least", "median", "most");
  for (const Spread& spread : merged.spreads) {
    const auto shown = [&](double value) {
      if (spread.unit == "ns") return readable(value);
      return spread.name == "imbalance" ? fmt::format("{:.2f}", value)
                                        : fmt::format("{:.10g}", value);
    };
    std::string name = spread.name;
    if (spread.unit == "ns") name.resize(name.size() - 3);
    for (char& c : name) c = c == '_' ? ' ' : c;
    out.add("    {:<18} {:>12} {:>14} {:>14}   {}\n", name, shown(spread.least),
            shown(spread.median), shown(spread.most),
            name_of(merged.rows[spread.most_row], merged));
  }
}

void add_longest(const Merged& merged, Text& out) {
  const RankRow* longest = nullptr;
  for (const RankRow& row : merged.rows) {
    if (row.share && (longest == nullptr || *row.share > *longest->share)) longest = &row;
  }
  if (longest == nullptr) return;
  std::string words = fmt::format("{} on {}: {}", name_of(*longest, merged), longest->host,
                                  readable(static_cast<double>(longest->waited_ns)));
  if (longest->waits_longest) {
    words += fmt::format("; its thread {} waits most", *longest->waits_longest);
  }
  if (longest->arrives_last_most) {
    words += fmt::format(", thread {} arrives last most often", *longest->arrives_last_most);
  }
  out.row("waits longest", words);
}

}  // namespace

std::string merged_text(const Merged& merged, const std::string& version) {
  Text out;
  add_head(merged, version, out);
  add_barriers(merged.totals, out);
  add_fork_join(merged.totals, out);
  add_waiting(merged.totals, out);
  add_rows(merged, out);
  add_spreads(merged, out);
  add_longest(merged, out);
  return out.take();
}

}  // namespace muster::launcher
