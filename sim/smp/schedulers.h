// The schedulers by their names in run files.
#pragma once

#include "sim/smp/run_plan.h"

namespace muster::smp {

// Reads [scheduler] into the plan's scheduler and make_scheduler.
void read_scheduler(sim::RunTable table, RunPlan& plan);

}  // namespace muster::smp
