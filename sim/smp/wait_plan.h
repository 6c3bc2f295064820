// What a run file says of waiting: whose code, what its steps cost, the policy of each job.
#pragma once

#include <memory>
#include <string>

#include "sim/smp/run_plan.h"

namespace muster::smp {

// `code` and `turns` of the table [wait].
void read_code(sim::RunTable& wait, RunPlan& plan);
// The table [costs], which is for production code.
void read_costs(sim::RunTable& root, RunPlan& plan);

// Empty where the policy is one of the plan's code; else those that are.
std::string policies_if_not_one(const RunPlan& plan, const std::string& policy);

// A synchronizing job.
std::unique_ptr<Job> make_waiting_job(const RunPlan& plan, const JobPlan& job, unsigned number,
                                      TurnPage& page);

}  // namespace muster::smp
