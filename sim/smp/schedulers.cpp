#include "sim/smp/schedulers.h"

#include "sim/smp/cfs.h"
#include "sim/smp/eevdf.h"
#include "sim/smp/gang.h"
#include "sim/smp/linux24.h"
#include "sim/smp/round_robin.h"

namespace muster::smp {
namespace {

using sim::RunTable;

enum class Kind : std::uint8_t { kRoundRobin, kLinux24, kGang, kCfs, kEevdf };

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
  if (table.has("switching"))
    rules.switching = table.choice<Switching>("switching", {{"previous", Switching::kPrevious},
                                                            {"next", Switching::kNext},
                                                            {"nobody", Switching::kNobody}});
  plan.make_scheduler = [rules] { return std::make_unique<Linux24>(rules); };
}

void read_gang(RunTable& table, RunPlan& plan) {
  const Time slice = table.integer("slice", 1, kLongest);
  std::vector<std::int64_t> weights;
  if (table.has("weights")) weights = table.integers("weights", 1, 1'000'000);
  const bool pack = table.flag_or("pack", false);
  const bool fill = table.flag_or("fill", false);
  if (pack && !weights.empty()) table.fail_at("weights", "does not go with pack");
  plan.make_scheduler = [slice, weights, pack, fill] {
    return std::make_unique<Gang>(slice, weights, pack, fill);
  };
}

void read_cfs(RunTable& table, RunPlan& plan) {
  if (plan.unit != Unit::kNs) table.fail_at("kind", "\"cfs\" needs unit = \"ns\"");
  constexpr Time kSecond = 1'000'000'000;
  CfsRules rules;
  const auto time = [&](const char* key, Time otherwise) {
    return table.integer_or(key, 1'000, kSecond, otherwise);
  };
  rules.tick = time("tick", rules.tick);
  rules.latency = time("latency", 0);
  rules.least_granularity = time("least_granularity", 0);
  rules.wake_up_granularity = time("wake_up_granularity", 0);
  rules.sleeper_credit = table.flag_or("sleeper_credit", rules.sleeper_credit);
  rules.wake_to_idle = table.flag_or("wake_to_idle", rules.wake_to_idle);
  plan.make_scheduler = [rules] { return std::make_unique<Cfs>(rules); };
}

void read_eevdf(RunTable& table, RunPlan& plan) {
  if (plan.unit != Unit::kNs) table.fail_at("kind", "\"eevdf\" needs unit = \"ns\"");
  constexpr Time kSecond = 1'000'000'000;
  EevdfRules rules;
  const auto time = [&](const char* key, Time least, Time otherwise) {
    return table.integer_or(key, least, kSecond, otherwise);
  };
  rules.tick = time("tick", 1'000, rules.tick);
  rules.base_slice = time("base_slice", 100'000, rules.base_slice);
  rules.migration_cost = time("migration_cost", 0, rules.migration_cost);
  rules.idle_exit = time("idle_exit", 0, rules.idle_exit);
  rules.newidle_cost = time("newidle_cost", 0, rules.newidle_cost);
  rules.llc = static_cast<unsigned>(table.integer_or("llc", 1, kMostProcessors, rules.llc));
  rules.run_to_parity = table.flag_or("run_to_parity", rules.run_to_parity);
  rules.preempt_short = table.flag_or("preempt_short", rules.preempt_short);
  rules.delay_dequeue = table.flag_or("delay_dequeue", rules.delay_dequeue);
  rules.place_lag = table.flag_or("place_lag", rules.place_lag);
  rules.proportional_newidle = table.flag_or("proportional_newidle", rules.proportional_newidle);
  plan.make_scheduler = [rules] { return std::make_unique<Eevdf>(rules); };
}

}  // namespace

void read_scheduler(RunTable table, RunPlan& plan) {
  const Kind kind = table.choice<Kind>("kind", {{"rr", Kind::kRoundRobin},
                                                {"linux24", Kind::kLinux24},
                                                {"gang", Kind::kGang},
                                                {"cfs", Kind::kCfs},
                                                {"eevdf", Kind::kEevdf}});
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
    case Kind::kCfs:
      read_cfs(table, plan);
      break;
    case Kind::kEevdf:
      read_eevdf(table, plan);
      break;
  }
  table.end();
}

}  // namespace muster::smp
