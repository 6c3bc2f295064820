// The charts are lines of text with bars behind them, made of HTML: unlike a drawing, text keeps its size on a narrow
// screen, and no script is needed.
#include "preload/launcher/report_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "preload/launcher/advice.h"
#include "preload/launcher/html.h"
#include "preload/launcher/site_frames.h"

namespace muster::launcher {
namespace {

constexpr std::size_t kMostSites = 12;
constexpr std::size_t kMostRegions = 8;
constexpr std::size_t kMostThreads = 64;

constexpr const char* kReportStyle = R"(
:root { --imbalance: #0b57c2; --preempted: #b35c00; --throttled: #8a3ffc; --stolen: #00716d; --waking: #6f6f7f; }
@media (prefers-color-scheme: dark) {
  :root { --imbalance: #7db4ff; --preempted: #f0b44c; --throttled: #c7a3ff; --stolen: #3ddbd9; --waking: #a2a3b3; }
}
body { overflow-wrap: anywhere; }
ol.verdict { padding-left: 2rem; } ol.verdict li { margin: .3rem 0; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: .5rem 1rem; }
dt { color: var(--dim); font-size: .9rem; } dd { margin: 0; font-size: 1.15rem; }
.bars { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr max-content; gap: .35rem .7rem; align-items: center; font-variant-numeric: tabular-nums; }
.bars .value { text-align: right; }
.stacked > div { margin-bottom: .5rem; } .bars, .stacked, dl { margin-bottom: 1rem; }
.bar { display: flex; height: .9rem; background: var(--line); border-radius: 2px; overflow: hidden; }
.bar i { display: block; min-width: 0; }
.key { display: inline-block; width: .8rem; height: .8rem; border-radius: 2px; margin: 0 .3rem 0 .6rem; }
.cause { white-space: nowrap; }
table { font-size: .9rem; }
td.text { text-align: left; white-space: normal; }
.plain { background: var(--muster); } .imbalance { background: var(--imbalance); } .preempted { background: var(--preempted); }
.throttled { background: var(--throttled); } .stolen { background: var(--stolen); } .waking { background: var(--waking); }
)";

constexpr const char* kCauses[] = {"imbalance", "preempted", "throttled", "stolen", "waking"};

std::string time_text(const json& ns) {
  if (ns.is_null()) return "?";
  NumberText text;
  return readable(static_cast<std::uint64_t>(number(ns)), Unit::kNs, text);
}

std::string percent_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

// "12,345"
std::string count_text(const json& count) {
  std::string text = fmt::format("{:.0f}", number(count));
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

std::string text_of(const json& value, const char* otherwise) {
  return value.is_null() ? otherwise : escaped(value.get<std::string>());
}

std::string gain_key(const std::string& cause) { return "gain_" + cause + "_ns"; }

struct Part {
  const char* kind;  // a class of the style
  double share;      // of the bar's width
};

std::string bar(const std::vector<Part>& parts) {
  std::string html = "<div class=\"bar\">";
  for (const auto& [kind, share] : parts) {
    if (share > 0)
      html += fmt::format("<i class=\"{}\" style=\"width:{:.2f}%\"></i>", kind, 100 * share);
  }
  return html + "</div>";
}

std::string bar_line(const std::string& name, double share, const std::string& value) {
  return fmt::format("<span>{}</span>{}<span class=\"value\">{}</span>\n", escaped(name),
                     bar({{"plain", share}}), escaped(value));
}

// For long names and values: the bar is below them.
std::string stacked_line(const std::string& name, const std::string& value,
                         const std::vector<Part>& parts) {
  return fmt::format("<div><span>{}</span> <span class=\"dim\">{}</span>{}</div>\n", escaped(name),
                     escaped(value), bar(parts));
}

std::string section(const char* heading, const std::string& content) {
  return fmt::format("<h2>{}</h2>\n{}", heading, content);
}

std::string stacked(const std::string& lines) {
  return "<div class=\"stacked\">" + lines + "</div>\n";
}

std::string bars(const std::string& lines) { return "<div class=\"bars\">" + lines + "</div>\n"; }

std::string wide(const std::string& table) {
  return "<div class=\"wide\"><table>" + table + "</table></div>\n";
}

std::string note(const std::string& text) { return "<p class=\"dim\">" + escaped(text) + "</p>\n"; }

std::string head(const json& report) {
  const auto program = report.at("program").get<std::string>();
  std::string command;
  for (const json& word : report.at("arguments")) command += " " + word.get<std::string>();
  return fmt::format(
      "<h1>Muster report of <code>{}</code></h1>\n<p "
      "class=\"dim\">{}<br/>Command:<code>{}</code><br/>"
      "Process {}, rank {} on {}, from {} to {}. Muster {}, commit {}.</p>\n",
      escaped(program.substr(program.rfind('/') + 1)), escaped(program), escaped(command),
      report.at("pid").get<std::int64_t>(), report.at("rank").get<std::int64_t>(),
      text_of(report.at("host"), "?"), text_of(report.at("started"), "?"),
      text_of(report.at("ended"), "?"), text_of(report.at("muster"), "?"),
      text_of(report.at("commit"), "unknown"));
}

std::string what_to_do(const json& report) {
  std::string html = "<ol class=\"verdict\">";
  for (const std::string& sentence : advice(report)) html += "<li>" + escaped(sentence) + "</li>\n";
  return section("What to do", html + "</ol>\n");
}

std::string figures(const json& report) {
  const json& barriers = report.at("barriers");
  const json& waiting = report.at("waiting");
  const double threads_ns =
      std::max(1.0, number(report.at("elapsed_ns")) * number(report.at("largest_team")));
  const double sleeps = number(waiting.at("blocks"));
  std::string html = "<dl>";
  const auto add = [&](const char* name, const std::string& value) {
    html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, escaped(value));
  };
  add("Elapsed time", time_text(report.at("elapsed_ns")));
  add("CPU time", time_text(report.at("cpu_ns")));
  add("Threads", count_text(report.at("largest_team")));
  add("Regions", count_text(report.at("regions")));
  add("Barriers replaced", count_text(barriers.at("instances_replaced")));
  add("Arrivals passed through", count_text(barriers.at("passed_through")));
  add("Threads waited", percent_text(number(waiting.at("waited_ns")) / threads_ns));
  add("Sleeps", count_text(sleeps));
  return html + "</dl>\n";
}

constexpr struct {
  const char* key;
  const char* name;
} kEfficiencies[] = {{"parallelEfficiency", "Parallel efficiency"},
                     {"ompLoadBalance", "= load balance"},
                     {"ompSchedulingEfficiency", "x scheduling"},
                     {"ompSerializationEfficiency", "x serialization"}};

std::string efficiencies(const json& report) {
  const json& found = report.at("efficiency");
  if (found.is_null()) {
    const bool recorded = report.at("call_sites").at("recorded").get<bool>();
    return section("Efficiency", note(recorded ? "Not known: the runtime forked more than one "
                                                 "region in a hundred itself."
                                               : "Not recorded: run with muster run --sites."));
  }
  std::string lines;
  for (const auto& [key, name] : kEfficiencies)
    lines += bar_line(name, number(found.at(key)), percent_text(number(found.at(key))));
  std::string html = bars(lines);
  const json& regions = found.at("regions");
  if (!regions.empty()) {
    html +=
        "<div class=\"wide\"><table><tr><th>Region</th><th>runs</th><th>elapsed</th>"
        "<th>efficiency</th><th>balance</th><th>scheduling</th></tr>\n";
    for (std::size_t i = 0; i < std::min(kMostRegions, regions.size()); ++i) {
      const json& region = regions[i];
      html += fmt::format(
          "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
          escaped(site_text(region)), count_text(region.at("numOmpParallels")),
          time_text(region.at("elapsedTime")),
          percent_text(number(region.at("parallelEfficiency"))),
          percent_text(number(region.at("ompLoadBalance"))),
          percent_text(number(region.at("ompSchedulingEfficiency"))));
    }
    html += "</table></div>\n";
  }
  return section("Efficiency", html);
}

// Of most programs, those of imbalance and waking.
std::vector<std::string> causes_of(const json& sites) {
  std::vector<std::string> found;
  for (const char* cause : kCauses) {
    const std::string key = gain_key(cause);
    const auto has = [&](const json& site) { return number(site.at(key)) > 0; };
    if (std::any_of(sites.begin(), sites.end(), has)) found.emplace_back(cause);
  }
  return found;
}

std::string sites_chart(const json& report, const std::vector<std::string>& causes) {
  const json& sites = report.at("call_sites").at("sites");
  const double longest = std::max(1.0, number(sites.front().at("gain_ns")));
  const double elapsed = std::max(1.0, number(report.at("elapsed_ns")));
  std::string key = "<p class=\"dim\">Elapsed time to gain, by cause:";
  for (const std::string& cause : causes)
    key += fmt::format(" <span class=\"cause\"><i class=\"key {0}\"></i>{0}</span>", cause);
  std::string lines;
  for (std::size_t i = 0; i < std::min(kMostSites, sites.size()); ++i) {
    const json& site = sites[i];
    std::vector<Part> parts;
    for (const std::string& cause : causes)
      parts.push_back({cause.c_str(), number(site.at(gain_key(cause))) / longest});
    lines += stacked_line(site_text(site),
                          fmt::format("{} ({})", time_text(site.at("gain_ns")),
                                      percent_text(number(site.at("gain_ns")) / elapsed)),
                          parts);
  }
  return key + "</p>\n" + stacked(lines);
}

std::string sites_table(const json& sites, const std::vector<std::string>& causes) {
  std::string rows = "<tr><th>Call site</th><th>count</th><th>threads</th><th>gain</th>";
  for (const std::string& cause : causes) rows += "<th>" + cause + "</th>";
  rows += "</tr>\n";
  for (std::size_t i = 0; i < std::min(kMostSites, sites.size()); ++i) {
    const json& site = sites[i];
    rows += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td>",
                        escaped(site_text(site)), count_text(site.at("count")),
                        count_text(site.at("threads")), time_text(site.at("gain_ns")));
    for (const std::string& cause : causes)
      rows += "<td>" + time_text(site.at(gain_key(cause))) + "</td>";
    rows += "</tr>\n";
  }
  return wide(rows);
}

std::string call_sites(const json& report) {
  const json& sites = report.at("call_sites").at("sites");
  if (sites.empty()) {
    const bool recorded = report.at("call_sites").at("recorded").get<bool>();
    return section("Call sites",
                   note(recorded ? "None waited." : "Not recorded: run with muster run --sites."));
  }
  const std::vector<std::string> causes = causes_of(sites);
  std::string html = sites_chart(report, causes) + sites_table(sites, causes);
  if (sites.size() > kMostSites)
    html += note(fmt::format("{} more: muster sites.", sites.size() - kMostSites));
  return section("Call sites", html);
}

std::string threads(const json& report) {
  const json& found = report.at("threads");
  double longest = 1;
  for (const json& thread : found) longest = std::max(longest, number(thread.at("waited_ns")));
  std::string lines;
  for (std::size_t i = 0; i < std::min(kMostThreads, found.size()); ++i) {
    const json& thread = found[i];
    lines += stacked_line(
        fmt::format("Thread {}", count_text(thread.at("thread"))),
        fmt::format("waited {}, last at {} of {}", time_text(thread.at("waited_ns")),
                    count_text(thread.at("arrived_last")), count_text(thread.at("barriers"))),
        {{"plain", number(thread.at("waited_ns")) / longest}});
  }
  if (lines.empty()) return "";
  return section("Threads", note("Time that each waited, and how often it arrived last: a thread "
                                 "that waits less than the others lets them wait.") +
                                stacked(lines));
}

std::string histogram(const json& report) {
  const json& buckets = report.at("waiting").at("histogram");
  double largest = 0;
  for (const json& bucket : buckets) largest = std::max(largest, number(bucket.at("count")));
  if (largest == 0) return "";
  const auto counted = [](const json& bucket) { return number(bucket.at("count")) > 0; };
  const auto first = std::find_if(buckets.begin(), buckets.end(), counted);
  const auto end = std::find_if(buckets.rbegin(), buckets.rend(), counted).base();
  std::string lines;
  for (auto at = first; at != end; ++at) {
    const json& below = at->at("below_ns");
    const std::string name =
        below.is_null() ? at->at("bucket").get<std::string>() : "< " + time_text(below);
    lines += bar_line(name, number(at->at("count")) / largest, count_text(at->at("count")));
  }
  return section(
      "Waits by length",
      note("quick: released within the first polls, before a clock was read.") + bars(lines));
}

std::string why_passed(const json& report) {
  const json& reasons = report.at("barriers").at("by_reason");
  if (reasons.empty()) return "";
  std::string rows = "<tr><th>Reason</th><th>arrivals</th></tr>\n";
  for (const json& reason : reasons) {
    rows += fmt::format("<tr><td class=\"text\">{}</td><td>{}</td></tr>\n",
                        text_of(reason.at("reason"), "?"), count_text(reason.at("count")));
  }
  return section("Barriers of the runtime", wide(rows));
}

std::string settings(const json& report) {
  std::string rows;
  for (const auto& [name, value] : report.at("settings").items()) {
    if (value.is_null()) continue;
    rows += fmt::format("<tr><td>{}</td><td class=\"text\">{}</td></tr>\n", escaped(name),
                        text_of(value, ""));
  }
  return section("Settings", wide(rows));
}

std::string runtimes(const json& report) {
  std::string rows = "<tr><th>Runtime</th><th>barriers</th><th>file</th></tr>\n";
  for (const json& runtime : report.at("runtimes")) {
    const bool replaced = runtime.at("replaced").get<bool>();
    rows +=
        fmt::format("<tr><td>{}</td><td>{}</td><td class=\"text\">{}</td></tr>\n",
                    text_of(runtime.at("kind"), "?"),
                    replaced ? "replaced" : "passed through: " + text_of(runtime.at("reason"), "?"),
                    text_of(runtime.at("path"), "?"));
  }
  return report.at("runtimes").empty() ? "" : section("OpenMP", wide(rows));
}

}  // namespace

std::string report_page(const json& report) {
  const std::string title = "Muster report: " + report.at("program").get<std::string>();
  return html_page(title, kReportStyle,
                   head(report) + what_to_do(report) + figures(report) + efficiencies(report) +
                       call_sites(report) + threads(report) + histogram(report) +
                       why_passed(report) + runtimes(report) + settings(report));
}

}  // namespace muster::launcher
