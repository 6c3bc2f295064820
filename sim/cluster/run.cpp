#include "sim/cluster/run.h"

#include <cmath>

#include "sim/run_file.h"

namespace muster::cluster {
namespace {

using sim::RunTable;

// A run of more is a slip of the pen.
constexpr double kLongestUs = 1e9;
constexpr std::int64_t kMostWorkstations = 1024;
constexpr std::int64_t kMostJobs = 64;
constexpr std::int64_t kMostProcesses = 1024;

Nanoseconds from_us(double us) { return std::llround(us * 1e3); }

Nanoseconds time_us(RunTable& table, const char* key, double least = 0) {
  return from_us(table.real(key, least, kLongestUs));
}

Nanoseconds time_us_or(RunTable& table, const char* key, Nanoseconds otherwise) {
  return table.has(key) ? time_us(table, key) : otherwise;
}

Nanoseconds time_ms_or(RunTable& table, const char* key, Nanoseconds otherwise) {
  return table.has(key) ? from_us(1e3 * table.real(key, 0.001, kLongestUs / 1e3)) : otherwise;
}

Scheduler read_scheduler(RunTable table) {
  Scheduler out;
  out.policy = table.choice<Policy>("policy", {{"solaris", Policy::kSolaris},
                                               {"round-robin", Policy::kRoundRobin},
                                               {"explicit", Policy::kExplicit}});
  if (table.has("table"))
    out.table =
        table.choice<Table>("table", {{"solaris", Table::kSolaris}, {"svr4", Table::kSvr4}});
  out.quantum = time_ms_or(table, "quantum_ms", out.quantum);
  out.slice = time_ms_or(table, "slice_ms", out.slice);
  if (table.has("sleep_return"))
    out.raise_every_sleep =
        table.choice<bool>("sleep_return", {{"waited", false}, {"always", true}});
  if (table.has("clocks"))
    out.clocks_apart = table.choice<bool>("clocks", {{"apart", true}, {"together", false}});
  if (table.has("queues"))
    out.shuffled = table.choice<bool>("queues", {{"shuffled", true}, {"same", false}});
  table.end();
  return out;
}

Program read_program(RunTable table) {
  Program out;
  out.style = table.choice<Style>(
      "style", {{"bulk-synchronous", Style::kBulkSynchronous}, {"continuous", Style::kContinuous}});
  out.compute = time_us(table, "barrier_every_us", 0.001);
  out.between_reads = time_us(table, "read_every_us");
  if (table.has("barrier"))
    out.barrier = table.choice<Barrier>("barrier", {{"root", Barrier::kRoot},
                                                    {"tree", Barrier::kTree},
                                                    {"dissemination", Barrier::kDissemination}});
  if (table.has("neighbours"))
    out.neighbours = table.choice<Neighbours>(
        "neighbours", {{"grid", Neighbours::kGrid}, {"ring", Neighbours::kRing}});
  if (table.has("interval"))
    out.elapsed = table.choice<bool>("interval", {{"computing", false}, {"elapsed", true}});
  table.end();
  return out;
}

enum class Wait { kSpin, kBlock, kTwoPhase, kConditional };

Waiting read_waiting(RunTable table, Nanoseconds context_switch) {
  Waiting out;
  const auto policy = table.choice<Wait>("policy", {{"spin", Wait::kSpin},
                                                    {"block", Wait::kBlock},
                                                    {"two-phase", Wait::kTwoPhase},
                                                    {"conditional", Wait::kConditional}});
  // Keys that the policy has no use for are checked and passed over: so --set can change the policy.
  const auto time_for = [&](const char* key, bool used) {
    return used || table.has(key) ? time_us(table, key) : 0;
  };
  const bool spins_first = policy == Wait::kTwoPhase || policy == Wait::kConditional;
  const Nanoseconds read_spin = time_for("read_spin_us", spins_first);
  const Nanoseconds barrier_spin = time_us_or(table, "barrier_spin_us", read_spin);
  const Nanoseconds conditional = time_for("conditional_us", policy == Wait::kConditional);
  out.wake_spin = time_us_or(table, "wake_spin_us", context_switch);
  if (spins_first) {
    out.read_spin = read_spin;
    out.barrier_spin = barrier_spin;
  }
  if (policy == Wait::kConditional) out.conditional = conditional;
  if (policy == Wait::kSpin) out.read_spin = out.barrier_spin = out.wake_spin = kNever;
  table.end();
  return out;
}

}  // namespace

RunPlan load_run(const std::filesystem::path& file, const std::vector<std::string>& settings) {
  const sim::RunFile parsed(file, settings);
  RunTable root = parsed.root();
  RunPlan out;
  out.seed = static_cast<std::uint64_t>(root.integer_or("seed", 0, 1'000'000'000, 1));
  RunTable machine = root.table("machine");
  out.workstations = static_cast<unsigned>(machine.integer("workstations", 1, kMostWorkstations));
  out.context_switch = time_us(machine, "switch_us");
  out.latency = time_us(machine, "latency_us", 0.001);
  machine.end();
  out.scheduler = read_scheduler(root.table("scheduler"));
  RunTable jobs = root.table("jobs");
  out.jobs = static_cast<unsigned>(jobs.integer("count", 1, kMostJobs));
  out.processes = static_cast<unsigned>(jobs.integer("processes", 1, kMostProcesses));
  out.dedicated = from_us(1e6 * jobs.real("dedicated_s", 1e-6, 1e3));
  jobs.end();
  out.program = read_program(root.table("program"));
  out.waiting = read_waiting(root.table("waiting"), out.context_switch);
  root.end();
  if (out.scheduler.policy == Policy::kExplicit) out.waiting = explicitly_coscheduled(out).waiting;
  return out;
}

RunPlan explicitly_coscheduled(RunPlan run) {
  run.scheduler.policy = Policy::kExplicit;
  run.waiting = {.read_spin = kNever, .barrier_spin = kNever, .wake_spin = kNever};
  return run;
}

}  // namespace muster::cluster
