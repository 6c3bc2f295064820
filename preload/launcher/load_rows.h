// What `muster doctor` prints about the load and about missing features.
#pragma once

#include <string>
#include <vector>

#include "load/load_snapshot.h"
#include "load/missing_list.h"

namespace muster::launcher {

// One snapshot of the load sensor.
std::string load_row(const LoadSnapshot& load);

// One row for each; empty: nothing is missing.
std::vector<std::string> missing_rows(const MissingList& missing);

}  // namespace muster::launcher
