// `muster fields`: the fields of a report, for people, as the tables of docs/use/report.md, as JSON, or as JSON Schema.
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "preload/launcher/commands.h"
#include "preload/launcher/report_schema.h"
#include "preload/report/rows.h"

namespace muster::launcher {
namespace {

const char* name_of(Unit unit) {
  switch (unit) {
    case Unit::kText:
      return "text";
    case Unit::kFlag:
      return "true or false";
    case Unit::kCount:
      return "count";
    case Unit::kNumber:
      return "number";
    case Unit::kNs:
      return "ns";
    case Unit::kUs:
      return "us";
    case Unit::kMs:
      return "ms";
    case Unit::kMilliCpu:
      return "CPU / 1000";
    case Unit::kRatio:
      return "ratio";
    case Unit::kPercent:
      return "0 to 1";
  }
  return "";
}

const char* name_of(Merge merge) {
  switch (merge) {
    case Merge::kNot:
      return "";
    case Merge::kSum:
      return "sum";
    case Merge::kLargest:
      return "largest";
    case Merge::kKey:
      return "key";
    case Merge::kTally:
      return "reports by value";
    case Merge::kReports:
      return "merged only";
    case Merge::kSpinRate:
      return "of the sums";
  }
  return "";
}

// path.key, or path alone for a list's elements that are no objects.
std::string full_name(unsigned field) {
  const Row& row = row_of(field);
  const std::string path = group_row(row.group).path;
  return path + (path.empty() || *row.key == '\0' ? "" : ".") + row.key;
}

// Broken at spaces, as Markdown has prose.
std::string in_lines(const std::string& text) {
  constexpr std::size_t kColumns = 120;
  std::string lines;
  std::size_t column = 0;
  std::istringstream words(text);
  for (std::string word; words >> word; column += word.size() + 1) {
    if (column + word.size() > kColumns) column = 0;
    if (!lines.empty()) lines += column == 0 ? '\n' : ' ';
    lines += word;
  }
  return lines;
}

// Calls on_group(group) and on_field(field) for each row that JSON has.
template <class OnGroup, class OnField>
void for_each_row(OnGroup&& on_group, OnField&& on_field) {
  for (unsigned group = 0; group < kGroupCount; ++group) {
    on_group(report_rows::kGroups[group]);
    for (unsigned i = fields_of(group).begin; i < fields_of(group).end; ++i) {
      if ((row_of(i).without & kJson) == 0) on_field(i);
    }
  }
}

void print_plain() {
  for_each_row([](const Group&) {},
               [](unsigned i) {
                 const Field& field = report_rows::kFields[i];
                 const char* merged = name_of(field.merge);
                 fmt::print("{}\n    {}{}{}\n    {}\n", full_name(i), name_of(field.unit),
                            *merged != '\0' ? "; merged: " : "", merged, field.meaning);
               });
}

void print_markdown() {
  const auto print_group = [](const Group& group) {
    const std::string title = *group.path == '\0' ? fmt::format("Top level: {}", group.name)
                                                  : fmt::format("`{}`", group.path);
    fmt::print("\n### {}{}\n\n", title, group.merged_only ? " (merged reports only)" : "");
    const CsvCells& csv = group.csv;
    const std::string text =
        fmt::format("{} In CSV: `{},{},{}`.", group.meaning, csv.section, csv.name, csv.detail);
    fmt::print("{}\n\n| key | unit | merged | meaning |\n|---|---|---|---|\n", in_lines(text));
  };
  for_each_row(print_group, [](unsigned i) {
    const Field& field = report_rows::kFields[i];
    fmt::print("| {} | {} | {} | {} |\n",
               *row_of(i).key == '\0' ? "" : fmt::format("`{}`", row_of(i).key),
               name_of(field.unit), name_of(field.merge), field.meaning);
  });
}

void print_json() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for_each_row(
      [](const Group&) {},
      [&](unsigned i) {
        const Field& field = report_rows::kFields[i];
        list.push_back({{"field", full_name(i)},
                        {"unit", name_of(field.unit)},
                        {"merged", name_of(field.merge)},
                        {"merged_only", report_rows::kGroups[row_of(i).group].merged_only ||
                                            field.merge == Merge::kReports},
                        {"meaning", field.meaning}});
      });
  fmt::print("{}\n", list.dump(2));
}

}  // namespace

void add_fields(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("fields", "List the fields of a report.");
  auto markdown = std::make_shared<bool>(false);
  auto json = std::make_shared<bool>(false);
  command->add_flag("--markdown", *markdown, "As the tables of docs/use/report.md.");
  auto schema = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "As a list of objects.")->excludes("--markdown");
  command->add_flag("--schema", *schema, "As the JSON Schema of reports and merged reports.")
      ->excludes("--markdown", "--json");
  command->callback([markdown, json, schema, &status] {
    if (*schema) {
      fmt::print("{}\n", report_schema().dump(1));
    } else {
      *markdown ? print_markdown() : *json ? print_json() : print_plain();
    }
    status = 0;
  });
}

}  // namespace muster::launcher
