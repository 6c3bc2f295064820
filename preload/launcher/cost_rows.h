// What `muster calibrate` shows: rounds of calibrations put together, as rows or as JSON.
#pragma once

#include <string>
#include <vector>

#include "waiting/calibration.h"

namespace muster::launcher {

// One row a cost: the least of all rounds, and the median of the rounds that were measured; then the
// bounds; then a note for each cost that some round did not measure. `rounds` is not empty.
std::vector<std::string> cost_rows(const std::vector<Calibration>& rounds);

// The same as one JSON object. Times in ns; what is not known is null.
std::string cost_json(const std::vector<Calibration>& rounds);

}  // namespace muster::launcher
