// How results are shown: a table for readers, CSV for programs.
#pragma once

#include <optional>
#include <vector>

#include "sim/cluster/accounts.h"

namespace muster::cluster {

struct Outcome {
  std::uint64_t seed = 0;
  Result result;
  std::optional<Nanoseconds> reference;  // when explicit coscheduling has completed the workload

  double slowdown() const {
    return static_cast<double>(result.completion) / static_cast<double>(*reference);
  }
};

void print_outcomes(const std::vector<Outcome>& outcomes, bool csv);
// What each workstation has done, in seconds.
void print_workstations(const Outcome& outcome, bool csv);

}  // namespace muster::cluster
