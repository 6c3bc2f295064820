// A report in Prometheus's text format.
#pragma once

#include <string>

#include "preload/launcher/report_file.h"

namespace muster::launcher {

// Names, HELP and TYPE are those of the rows of fields.h. Times are in seconds, as Prometheus has them.
std::string prometheus_text(const json& report);

// Replaces the file as a whole, by a rename: the collector never reads a part. Throws NoReport.
void write_prometheus(const json& report, const std::string& path);

}  // namespace muster::launcher
