// How bin/smp prints what it found.
#pragma once

#include <vector>

#include "sim/smp/run.h"

namespace muster::smp {

// One seed of a plan, and the same with always-block where that was run.
struct Pair {
  RunResult result;
  std::optional<RunResult> block;
};

void print_csv(const RunPlan& plan, const std::vector<Pair>& pairs);
// A line for each job.
void print_jobs(const RunPlan& plan, const std::vector<Pair>& pairs);
void print_table(const RunPlan& plan, const std::vector<Pair>& pairs);

}  // namespace muster::smp
