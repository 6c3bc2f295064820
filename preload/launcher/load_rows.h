// What `muster doctor` says of the load and of what is missing, in words.
#pragma once

#include <string>
#include <vector>

#include "load/load_snapshot.h"
#include "load/missing_list.h"

namespace muster::launcher {

// One look of the load sensor.
std::string load_row(const LoadSnapshot& load);

// One row each; empty where nothing is missing.
std::vector<std::string> missing_rows(const MissingList& missing);

}  // namespace muster::launcher
