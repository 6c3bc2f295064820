// A report in JSON, read back: what `muster merge` adds up.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "preload/report/rows.h"

namespace muster::launcher {

using json = nlohmann::ordered_json;

// Why a file is no report that can be merged, in one line.
struct NoReport : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The report, with the file's name as "file". It has all fields, and each has a value of its unit or null.
// Throws NoReport. `version` is the one that it must be of.
json read_report(const std::string& path, const std::string& version);

// The same of a report's text.
json parse_report(const std::string& text, const std::string& version);

// A field's number; 0 where it is null.
inline double number(const json& value) { return value.is_number() ? value.get<double>() : 0; }

// The object or list of a group in a report; null where it is null or not there.
const json* find_group(const json& report, unsigned group);

}  // namespace muster::launcher
