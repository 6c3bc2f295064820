#include "sim/smp/schedulers.h"

#include "sim/smp/gang.h"
#include "sim/smp/linux24.h"
#include "sim/smp/round_robin.h"

namespace muster::smp {
namespace {

using sim::RunTable;

enum class Kind : std::uint8_t { kRoundRobin, kLinux24, kGang };

void read_round_robin(RunTable& table, RunPlan& plan) {
  const Time quantum = table.integer("quantum", 1, kLongest);
  plan.make_scheduler = [quantum] { return std::make_unique<RoundRobin>(quantum); };
}

void read_linux24(RunTable& table, RunPlan& plan) {
  Linux24Rules rules;
  const auto ticks = [&](const char* key, int least, int otherwise) {
    return static_cast<int>(table.integer_or(key, least, 1'000'000, otherwise));
  };
  rules.tick = table.integer("tick", 1, kLongest);
  rules.default_ticks = ticks("default_ticks", 1, rules.default_ticks);
  rules.proc_change_penalty = ticks("proc_change_penalty", 0, rules.proc_change_penalty);
  rules.same_address_space_bonus =
      ticks("same_address_space_bonus", 0, rules.same_address_space_bonus);
  rules.preemption_threshold = ticks("preemption_threshold", 0, rules.preemption_threshold);
  if (table.has("wake_up"))
    rules.wake_up = table.choice<WakeUp>(
        "wake_up", {{"original", WakeUp::kOriginal}, {"ap", WakeUp::kAp}, {"gv", WakeUp::kGv}});
  if (table.has("accounting"))
    rules.accounting = table.choice<Accounting>(
        "accounting", {{"exact", Accounting::kExact}, {"sampled", Accounting::kSampled}});
  plan.make_scheduler = [rules] { return std::make_unique<Linux24>(rules); };
}

void read_gang(RunTable& table, RunPlan& plan) {
  const Time slice = table.integer("slice", 1, kLongest);
  std::vector<std::int64_t> weights;
  if (table.has("weights")) weights = table.integers("weights", 1, 1'000'000);
  plan.make_scheduler = [slice, weights] { return std::make_unique<Gang>(slice, weights); };
}

}  // namespace

void read_scheduler(RunTable table, RunPlan& plan) {
  const Kind kind = table.choice<Kind>(
      "kind", {{"rr", Kind::kRoundRobin}, {"linux24", Kind::kLinux24}, {"gang", Kind::kGang}});
  plan.scheduler = table.get<std::string>("kind");
  switch (kind) {
    case Kind::kRoundRobin:
      read_round_robin(table, plan);
      break;
    case Kind::kLinux24:
      read_linux24(table, plan);
      break;
    case Kind::kGang:
      read_gang(table, plan);
      break;
  }
  table.end();
}

}  // namespace muster::smp
