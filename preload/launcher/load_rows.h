// What `muster doctor` says of the load: one look of the load sensor, in words.
#pragma once

#include <string>
#include <vector>

#include "waiting/load_snapshot.h"

namespace muster::launcher {

std::vector<std::string> load_rows(const LoadSnapshot& load);

}  // namespace muster::launcher
