// The output of `muster calibrate`: a summary of several rounds of calibration, as rows or as JSON.
#pragma once

#include <string>
#include <vector>

#include "waiting/calibration.h"

namespace muster::launcher {

// One row for each cost, with the minimum of all rounds and the median of the measured ones. Then the bounds, and a
// note for each cost that was not measured in some round. `rounds` is not empty.
std::vector<std::string> cost_rows(const std::vector<Calibration>& rounds);

// The same as one JSON object. Times in ns; unknown values are null.
std::string cost_json(const std::vector<Calibration>& rounds);

}  // namespace muster::launcher
