// A comparison as one HTML page: no scripts, nothing from elsewhere, charts as inline SVG.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "preload/launcher/compare/findings.h"
#include "preload/launcher/html.h"
#include "preload/launcher/shell_quote.h"

namespace muster::launcher {
namespace {

constexpr double kWidth = 640;  // of a chart, in its own units
constexpr double kLeft = 150;   // where the axis begins
constexpr double kRight = 30;
constexpr double kRowHeight = 34;
constexpr double kLogFrom = 30;  // most over least: from here on the axis is logarithmic
constexpr std::size_t kMostName = 20;

constexpr const char* kComparisonStyle = R"(
svg { display: block; width: 100%; height: auto; min-width: 34rem; }
svg text { fill: var(--text); font: 13px system-ui, sans-serif; }
svg .axis { stroke: var(--line); } svg .tick { fill: var(--dim); font-size: 11px; }
.stock { fill: var(--stock); stroke: var(--stock); } .muster { fill: var(--muster); stroke: var(--muster); }
circle { fill-opacity: .35; stroke-width: 1; } .median { stroke-width: 3; }
)";

std::string command_line(const Comparison& comparison) {
  std::string line;
  for (const std::string& word : comparison.command)
    line += (line.empty() ? "" : " ") + shell_quote(word);
  return line;
}

// Where a value is in a chart. From 0, or logarithmic if the values differ much.
class Axis {
 public:
  Axis(double least, double most) : is_log_(least > 0 && most / least > kLogFrom) {
    low_ = is_log_ ? std::floor(std::log10(least)) : 0;
    high_ = is_log_ ? std::ceil(std::log10(most)) : most * 1.05;
    if (!(high_ > low_)) high_ = low_ + 1;
  }
  double at(double value) const {
    const double share = ((is_log_ ? std::log10(value) : value) - low_) / (high_ - low_);
    return kLeft + share * (kWidth - kLeft - kRight);
  }
  std::vector<double> ticks() const {
    std::vector<double> found;
    if (is_log_) {
      const double step = std::max(1.0, std::ceil((high_ - low_) / 6));
      for (double power = low_; power <= high_; power += step) found.push_back(std::pow(10, power));
      return found;
    }
    const double rough = high_ / 5;
    const double size = std::pow(10, std::floor(std::log10(rough)));
    const double step = size * (rough / size < 2 ? 2 : rough / size < 5 ? 5 : 10);
    for (double value = 0; value <= high_; value += step) found.push_back(value);
    return found;
  }

 private:
  bool is_log_;
  double low_;
  double high_;
};

std::string chart(const Comparison& comparison, const std::vector<VariantRow>& rows) {
  double least = rows.front().least;
  double most = rows.front().most;
  for (const VariantRow& row : rows) {
    least = std::min(least, row.least);
    most = std::max(most, row.most);
  }
  const Axis axis(least, most);
  const double bottom = kRowHeight * static_cast<double>(rows.size()) + 8;
  std::string svg = fmt::format(
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Single runs and medians of {}\">\n",
      kWidth, bottom + 22, escaped(name_of(comparison.loads[rows.front().load])));
  for (const double tick : axis.ticks()) {
    svg += fmt::format(
        "<line class=\"axis\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"4\" y2=\"{1}\"/>"
        "<text class=\"tick\" x=\"{0:.1f}\" y=\"{2}\" text-anchor=\"middle\">{3}</text>\n",
        axis.at(tick), bottom, bottom + 15, tick == 0 ? "0" : value_text(comparison, tick));
  }
  double y = kRowHeight / 2 + 4;
  for (const VariantRow& row : rows) {
    const Variant& variant = comparison.variants[row.variant];
    std::string name = variant.name;
    if (name.size() > kMostName) name = name.substr(0, kMostName - 1) + "…";
    svg += fmt::format("<text x=\"0\" y=\"{}\">{}</text><g class=\"{}\">", y + 4, escaped(name),
                       variant.is_muster ? "muster" : "stock");
    for (const double value : values_of(comparison, row.load, row.variant)) {
      svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{}\" r=\"5\"><title>{}</title></circle>",
                         axis.at(value), y, value_text(comparison, value));
    }
    svg += fmt::format(
        "<line class=\"median\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/></g>\n",
        axis.at(row.median), y - 11, y + 11);
    y += kRowHeight;
  }
  return svg + "</svg>\n";
}

std::string table(const Comparison& comparison, const std::vector<VariantRow>& rows) {
  std::string html =
      "<table><tr><th></th><th>runs</th><th>median</th><th>least</th><th>most</th><th>CPU time</th>"
      "<th>times as fast as the better stock</th><th>95 %</th></tr>\n";
  for (const VariantRow& row : rows) {
    html +=
        fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.2f} s</td>",
                    escaped(comparison.variants[row.variant].name), row.runs,
                    value_text(comparison, row.median), value_text(comparison, row.least),
                    value_text(comparison, row.most), row.cpu_s);
    html += row.gain ? fmt::format("<td>{} ({})</td><td>{} to {}</td></tr>\n",
                                   ratio_text(row.gain->value), escaped(row.over),
                                   ratio_text(row.gain->low), ratio_text(row.gain->high))
                     : "<td></td><td></td></tr>\n";
  }
  return html + "</table>\n";
}

std::string variables_text(const Variant& variant) {
  std::string text;
  for (const auto& [name, value] : variant.variables) text += " " + shell_assignment(name, value);
  return text;
}

}  // namespace

std::string comparison_page(const Comparison& comparison) {
  const Findings found = find(comparison);
  const std::string command = command_line(comparison);
  std::string html = fmt::format("<h1>Did Muster help? <code>{}</code></h1>\n", escaped(command));
  for (const std::string& line : found.verdict)
    html += fmt::format("<p class=\"verdict\">{}</p>\n", escaped(line));
  html += "<ul>\n";
  for (const std::string& note : found.notes) html += fmt::format("<li>{}</li>\n", escaped(note));
  html += "</ul>\n";
  for (std::size_t load = 0; load < comparison.loads.size(); ++load) {
    std::vector<VariantRow> rows;
    std::copy_if(found.rows.begin(), found.rows.end(), std::back_inserter(rows),
                 [&](const VariantRow& row) { return row.load == load; });
    if (rows.empty()) continue;
    html += fmt::format("<h2>{}</h2>\n<div class=\"wide\">{}</div>\n<div class=\"wide\">{}</div>\n",
                        escaped(name_of(comparison.loads[load])), chart(comparison, rows),
                        table(comparison, rows));
  }
  html += fmt::format(
      "<p class=\"dim\">{} Each dot is a run, each bar a median; {}. The range of a gain is the 95 "
      "% interval of a "
      "bootstrap of the medians.</p>\n<h2>How it was measured</h2>\n<p class=\"dim\">muster {}, "
      "{}; {}, {} CPUs allowed, "
      "{}, load average {:.2f} before the first run; {} rounds in mixed order after {} of "
      "warm-up.</p>\n<ul class=\"dim\">\n",
      comparison.is_complete() ? "" : "Not all rounds were run.",
      comparison.pattern.empty()  ? "less time is better"
      : comparison.more_is_better ? "more is better"
                                  : "less is better",
      MUSTER_VERSION, escaped(comparison.started), escaped(comparison.machine.cpu),
      comparison.machine.cpus, escaped(comparison.machine.kernel), comparison.machine.load_average,
      comparison.rounds, comparison.warm_up);
  for (const Variant& variant : comparison.variants) {
    html += fmt::format("<li>{}:<code>{}{}</code></li>\n", escaped(variant.name),
                        variant.is_muster ? " LD_PRELOAD=libmuster.so" : "",
                        escaped(variables_text(variant)));
  }
  return html_page("muster compare: " + command, kComparisonStyle, html + "</ul>\n");
}

}  // namespace muster::launcher
