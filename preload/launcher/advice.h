// What to do, by rules on a report's figures.
#pragma once

#include <string>
#include <vector>

#include "preload/launcher/report_file.h"

namespace muster::launcher {

// At most three sentences, that with the largest gain first. At least one: that nothing needs to be done.
std::vector<std::string> advice(const json& report);

}  // namespace muster::launcher
