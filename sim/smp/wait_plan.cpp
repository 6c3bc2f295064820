#include "sim/smp/wait_plan.h"

#include <fmt/format.h>

#include "options/wait_names.h"
#include "sim/smp/production_jobs.h"
#include "sim/smp/stock_jobs.h"
#include "sim/smp/stream_job.h"

namespace muster::smp {

using sim::RunTable;

void read_code(RunTable& wait, RunPlan& plan) {
  if (!wait.has("code")) return;
  plan.code =
      wait.choice<Code>("code", {{"model", Code::kModel}, {"production", Code::kProduction}});
  if (plan.code == Code::kProduction && plan.unit != Unit::kNs)
    wait.fail_at("code", "\"production\" needs unit = \"ns\"");
  plan.turns = wait.flag_or("turns", false);
  if (plan.turns && plan.code != Code::kProduction)
    wait.fail_at("turns", "needs code = \"production\"");
}

void read_costs(RunTable& root, RunPlan& plan) {
  if (!root.has("costs")) return;
  if (plan.code != Code::kProduction)
    root.fail_at("costs",
                 "is for [wait] code = \"production\": in the model nothing costs anything");
  RunTable table = root.table("costs");
  constexpr Time kSecond = 1'000'000'000;
  struct Key {
    const char* name;
    Time Costs::* cost;
    Time least;
  };
  for (const auto& [name, cost, least] :
       {Key{"load", &Costs::load, 0}, Key{"line", &Costs::line, 0}, Key{"clock", &Costs::clock, 0},
        Key{"pause", &Costs::pause, 1}, Key{"yield", &Costs::yield, 1},
        Key{"futex_wait", &Costs::futex_wait, 0}, Key{"futex_wake", &Costs::futex_wake, 0},
        Key{"wake_each", &Costs::wake_each, 0}, Key{"affinity", &Costs::affinity, 0},
        Key{"ask", &Costs::ask, 0}, Key{"fence", &Costs::fence, 0},
        Key{"fence_beside", &Costs::fence_beside, 0}, Key{"fenced", &Costs::fenced, 0},
        Key{"look", &Costs::look, 0}, Key{"idle_look", &Costs::idle_look, 0},
        Key{"idle_look_each", &Costs::idle_look_each, 0}})
    plan.costs.*cost = table.integer_or(name, least, kSecond, plan.costs.*cost);
  const auto share = [&](const char* name, unsigned otherwise) {
    return static_cast<unsigned>(table.integer_or(name, 0, 1'000'000, otherwise));
  };
  plan.costs.fine_share = share("fine_share", plan.costs.fine_share);
  plan.costs.coarse_share = share("coarse_share", plan.costs.coarse_share);
  table.end();
}

std::string policies_if_not_one(const RunPlan& plan, const std::string& policy) {
  if (plan.code == Code::kModel) {
    if (spin_budget(policy, plan.machine.context_switch)) return {};
    return "spin, block, cs, cs+, 2cs+, exponential, uniform, or for how long to spin, as \"12\"";
  }
  if (is_stock_policy(policy) || wrong_with_production_policy(policy).empty()) return {};
  return fmt::format("{}, each also after a barrier and \"/\", as \"tree/auto\"; {}",
                     kind::Wait::values(), kStockPolicies);
}

std::unique_ptr<Job> make_waiting_job(const RunPlan& plan, const JobPlan& job, unsigned number,
                                      TurnPage& page) {
  if (plan.code == Code::kModel) {
    const Time budget = *spin_budget(job.policy, plan.machine.context_switch);
    return job.stream ? make_stream(job, number, budget) : make_two_phase(job, number, budget);
  }
  if (is_stock_policy(job.policy))
    return make_stock(job, number, plan.costs, plan.machine.processors);
  return make_production(job, number,
                         {.costs = plan.costs,
                          .context_switch = plan.machine.context_switch,
                          .interrupt_delay = plan.machine.interrupt_delay,
                          .processors = plan.machine.processors,
                          .page = plan.turns ? &page : nullptr});
}

}  // namespace muster::smp
