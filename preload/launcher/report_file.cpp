#include "preload/launcher/report_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sstream>

namespace muster::launcher {
namespace {

// What nlohmann's own messages do not name is the key.
const json& member(const json& object, const std::string& key) {
  const auto found = object.find(key);  // end() for anything but an object
  if (found == object.end()) throw NoReport(fmt::format("no '{}' in it", key));
  return *found;
}

// The object or list of a group; null where it is null.
const json* place_of(const json& report, unsigned group) {
  const json* place = &report;
  std::istringstream path(group_row(group).path);
  for (std::string name; !place->is_null() && std::getline(path, name, '.');) {
    place = &member(*place, name.substr(0, name.find('[')));
  }
  return place->is_null() ? nullptr : place;
}

void check_value(const json& value, const Row& row) {
  const auto expect = [&](bool holds, const char* what) {
    if (!holds && !value.is_null()) throw NoReport(fmt::format("'{}' is no {}", row.key, what));
  };
  switch (row.unit) {
    case Unit::kText:
      return expect(value.is_string(), "text");
    case Unit::kFlag:
      return expect(value.is_boolean(), "flag");
    case Unit::kCount:
    case Unit::kNs:
    case Unit::kUs:
    case Unit::kMs:
    case Unit::kMilliCpu:
      return expect(value.is_number_unsigned(), "count");
    case Unit::kNumber:
      return expect(value.is_number_integer(), "number");
    case Unit::kRatio:
    case Unit::kPercent:
      return expect(value.is_number(), "number");
  }
}

void check_object(const json& object, unsigned group) {
  const FieldRange range = fields_of(group);
  for (unsigned i = range.begin; i < range.end; ++i) {
    const Row& row = row_of(i);
    if ((row.without & kJson) != 0 || row.merge == Merge::kReports) continue;
    if (*row.key == '\0') {
      check_value(object, row);
    } else if (!object.is_object()) {
      throw NoReport(fmt::format("'{}' is no list of objects", group_row(group).path));
    } else {
      check_value(member(object, row.key), row);
    }
  }
}

void check_group(const json& report, unsigned group) {
  const char* path = group_row(group).path;
  const json* place = place_of(report, group);
  if (place == nullptr) return;
  if (!is_list(path)) {
    if (!place->is_object()) throw NoReport(fmt::format("'{}' is no object", path));
    return check_object(*place, group);
  }
  if (!place->is_array()) throw NoReport(fmt::format("'{}' is no list", path));
  for (const json& element : *place) check_object(element, group);
}

void check(const json& report, const std::string& version) {
  if (!report.is_object() || !report.contains("muster")) throw NoReport("not a report of Muster");
  if (report.contains("merged")) {
    throw NoReport("a merged report; give the reports that it was made of");
  }
  check_value(report["muster"], row_of(FieldId("process.muster").index));
  const std::string its = report["muster"].is_null() ? "?" : report["muster"];
  if (its != version) {
    throw NoReport(fmt::format("a report of Muster {}, this is Muster {}", its, version));
  }
  for (unsigned i = 0; i < kGroupCount; ++i) {
    if (!group_row(i).merged_only) check_group(report, i);
  }
}

std::string read_whole(const std::string& path) {
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
  return text;
}

}  // namespace

const json* find_group(const json& report, unsigned group) {
  try {
    return place_of(report, group);
  } catch (const NoReport&) {
    return nullptr;
  }
}

json parse_report(const std::string& text, const std::string& version) {
  json report = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (report.is_discarded()) throw NoReport("not JSON, or not all of it");
  check(report, version);
  return report;
}

json read_report(const std::string& path, const std::string& version) {
  json report = parse_report(read_whole(path), version);
  report["file"] = path;
  return report;
}

}  // namespace muster::launcher
