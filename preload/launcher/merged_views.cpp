// How a merged report is shown.
#include <fmt/format.h>

#include <deque>
#include <iterator>

#include "preload/launcher/merged_report.h"

namespace muster::launcher {
namespace {

Value real(double value) { return Ratio{static_cast<std::uint64_t>(value * 1e6 + 0.5), 1'000'000}; }

// Puts the values of a merged report, and holds their texts.
class Walk {
 public:
  Walk(const json& report, Format format) : report_(report), writer_(format, out_) {}

  void write_groups() {
    for (unsigned group = 0; group < kGroupCount; ++group) {
      const json* found = find_group(report_, group);
      if (found == nullptr) continue;
      if (is_list(group_row(group).path)) {
        for (const json& element : *found) write_object(element, group);
        writer_.end(GroupId(group));
      } else {
        write_object(*found, group);
      }
    }
    writer_.finish();
  }
  std::string text() const { return {out_.begin(), out_.size()}; }

 private:
  void write_object(const json& object, unsigned group) {
    const FieldRange range = fields_of(group);
    for (unsigned i = range.begin; i < range.end; ++i) {
      const auto found = object.find(row_of(i).key);
      if (found != object.end()) writer_.put(FieldId(i), value_of(*found));
    }
    writer_.write(GroupId(group));
    texts_.clear();
  }

  Value value_of(const json& value) {
    if (value.is_null()) return nullptr;
    if (value.is_boolean()) return value.get<bool>();
    if (value.is_number_unsigned()) return value.get<std::uint64_t>();
    if (value.is_number_integer()) return value.get<std::int64_t>();
    if (value.is_number()) return real(value.get<double>());
    std::string text;
    if (value.is_string()) {
      text = value.get<std::string>();
    } else {  // how many reports have each value
      for (const json& each : value) {
        text += text.empty() ? "" : " and ";
        text += each["value"].get<std::string>();
        if (value.size() > 1) text += fmt::format(" ({})", each["reports"].get<std::uint64_t>());
      }
    }
    return texts_.emplace_back(std::move(text)).c_str();
  }

  const json& report_;
  TextBuffer out_;
  ReportWriter writer_;
  std::deque<std::string> texts_;
};

std::string plural(std::size_t count, const char* word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

// "0-3, 7"
std::string ranges(const json& numbers) {
  std::string words;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last].get<std::int64_t>() + 1)
      ++last;
    words += fmt::format("{}{}", words.empty() ? "" : ", ", numbers[i].get<std::int64_t>());
    if (last > i) words += fmt::format("-{}", numbers[last].get<std::int64_t>());
    i = last + 1;
  }
  return words;
}

std::string name_of(const json& row, const json& merged) {
  const auto rank = row["rank"].get<std::int64_t>();
  if (merged["ranks"].size() == merged["reports"].size()) return fmt::format("rank {}", rank);
  return fmt::format("rank {} (pid {})", rank, row["pid"].get<std::int64_t>());
}

std::string shown(const json& value, const std::string& figure) {
  NumberText buffer;
  const Unit unit = figure.ends_with("_ns") ? Unit::kNs
                    : figure == "imbalance" ? Unit::kRatio
                                            : Unit::kCount;
  if (unit == Unit::kCount) return fmt::format("{:.10g}", value.get<double>());
  return readable(real(value.get<double>()), unit, buffer);
}

std::string spreads(const json& merged) {
  std::string text;
  if (merged["spread"].empty()) return text;
  text += fmt::format("  over ranks         {:>14} {:>14} {:>14}\n", "least", "median", "most");
  for (const json& spread : merged["spread"]) {
    const auto figure = spread["figure"].get<std::string>();
    std::string name = figure.ends_with("_ns") ? figure.substr(0, figure.size() - 3) : figure;
    for (char& c : name) c = c == '_' ? ' ' : c;
    text +=
        fmt::format("    {:<18} {:>12} {:>14} {:>14}   {}\n", name, shown(spread["least"], figure),
                    shown(spread["median"], figure), shown(spread["most"], figure),
                    name_of(merged["reports"][spread["most_row"].get<std::size_t>()], merged));
  }
  return text;
}

std::string waits_longest(const json& merged) {
  const json* longest = nullptr;
  for (const json& row : merged["reports"]) {
    if (!row["share"].is_null() && (longest == nullptr || row["share"] > (*longest)["share"]))
      longest = &row;
  }
  if (longest == nullptr) return "";
  const json& row = *longest;
  std::string words =
      fmt::format("  waits longest      {} on {}: {}", name_of(row, merged),
                  row["host"].get<std::string>(), shown(row["waited_ns"], "waited_ns"));
  const json& waits = row["waits_longest"];
  if (!waits.is_null())
    words += fmt::format("; its thread {} waits most", waits.get<std::uint64_t>());
  const json& last = row["arrives_last_most"];
  if (!last.is_null())
    words += fmt::format(", thread {} arrives last most often", last.get<std::uint64_t>());
  return words + "\n";
}

}  // namespace

std::string merged_json(const json& merged) {
  json shown = merged;
  shown["counters"] = merged.contains("counters") ? merged["counters"]["events"] : json::array();
  // Names of files need not be UTF-8.
  return shown.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string merged_csv(const json& merged) {
  Walk walk(merged, Format::kCsv);
  walk.write_groups();
  return walk.text();
}

std::string merged_text(const json& merged) {
  json body = merged;
  body.erase("muster");  // a report of one process begins with it
  Walk walk(body, Format::kText);
  walk.write_groups();
  return fmt::format(
             "muster {} merged report: {}, {} ({}) on {}", merged["muster"].get<std::string>(),
             plural(merged["reports"].size(), "report"), plural(merged["ranks"].size(), "rank"),
             ranges(merged["ranks"]), plural(merged["hosts"].size(), "host")) +
         walk.text() + spreads(merged) + waits_longest(merged);
}

std::string report_text(const json& report) {
  Walk walk(report, Format::kText);
  walk.write_groups();
  std::string text = walk.text();
  for (char& c : text) {  // what a terminal would obey
    if (static_cast<unsigned char>(c) < ' ' && c != '\n') c = '?';
  }
  return text;
}

}  // namespace muster::launcher
