// A report of one process as one HTML page.
#pragma once

#include <string>

#include "preload/launcher/report_file.h"

namespace muster::launcher {

// The names of call sites are taken from their `frames` (site_frames.h).
std::string report_page(const json& report);

}  // namespace muster::launcher
