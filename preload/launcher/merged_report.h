// Reports of several processes as one: their sums, and how they differ at barriers.
#pragma once

#include <string>
#include <vector>

#include "preload/launcher/report_file.h"

namespace muster::launcher {

// In the form of a report, with the rows of merged reports. At least one report.
json merge(const std::vector<json>& reports);

// As `muster merge` prints it.
std::string merged_json(const json& merged);
std::string merged_csv(const json& merged);
std::string merged_text(const json& merged);

// A report of one process, as `muster report` prints it.
std::string report_text(const json& report);

}  // namespace muster::launcher
