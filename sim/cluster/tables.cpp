#include "sim/cluster/tables.h"

#include <fmt/format.h>

#include <string>

namespace muster::cluster {
namespace {

double seconds(Nanoseconds time) { return static_cast<double>(time) / 1e9; }

void print_csv(const std::vector<Outcome>& outcomes) {
  fmt::print(
      "seed,completion_s,explicit_s,slowdown,first_job_s,reads,reads_spinning_percent,read_us,"
      "barriers,barriers_spinning_percent,barrier_us,switches,messages,computing_percent,"
      "spinning_percent,switching_percent,idle_percent\n");
  for (const Outcome& one : outcomes) {
    const Result& result = one.result;
    const std::string reference =
        one.reference ? fmt::format("{:.6f},{:.4f}", seconds(*one.reference), one.slowdown()) : ",";
    Nanoseconds first = result.completion;
    for (const Nanoseconds job : result.job_completions) first = std::min(first, job);
    fmt::print("{},{:.6f},{},{:.6f}", one.seed, seconds(result.completion), reference,
               seconds(first));
    for (const Operations* kind : {&result.reads, &result.barriers}) {
      const double mean =
          kind->done == 0 ? 0 : static_cast<double>(kind->waited) / static_cast<double>(kind->done);
      fmt::print(",{},{:.4f},{:.3f}", kind->done, kind->percent_while_spinning(), mean / 1e3);
    }
    fmt::print(",{},{}", result.switches(), result.messages);
    for (const Doing doing : {Doing::kComputing, Doing::kSpinning, Doing::kSwitching, Doing::kIdle})
      fmt::print(",{:.4f}", result.percent(doing));
    fmt::print("\n");
  }
}

}  // namespace

void print_outcomes(const std::vector<Outcome>& outcomes, bool csv) {
  if (csv) {
    print_csv(outcomes);
    return;
  }
  fmt::print("{:>5} {:>12} {:>12} {:>8}  {:>7} {:>8} {:>11}  {:>7} {:>7} {:>7} {:>7}\n", "seed",
             "completion s", "explicit s", "slowdown", "reads %", "barriers", "switches", "compute",
             "spin", "switch", "idle %");
  double sum = 0;
  for (const Outcome& one : outcomes) {
    const Result& result = one.result;
    fmt::print("{:5} {:12.3f} ", one.seed, seconds(result.completion));
    if (one.reference) {
      fmt::print("{:12.3f} {:8.3f}", seconds(*one.reference), one.slowdown());
      sum += one.slowdown();
    } else {
      fmt::print("{:>12} {:>8}", "-", "-");
    }
    fmt::print("  {:7.2f} {:8.2f} {:11}  {:7.2f} {:7.2f} {:7.2f} {:7.2f}\n",
               result.reads.percent_while_spinning(), result.barriers.percent_while_spinning(),
               result.switches(), result.percent(Doing::kComputing),
               result.percent(Doing::kSpinning), result.percent(Doing::kSwitching),
               result.percent(Doing::kIdle));
  }
  if (outcomes.size() > 1 && outcomes.front().reference)
    fmt::print("mean slowdown {:.3f}\n", sum / static_cast<double>(outcomes.size()));
}

void print_workstations(const Outcome& outcome, bool csv) {
  fmt::print(fmt::runtime(csv ? "{},{},{},{},{},{},{}\n"
                              : "{:>4} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11}\n"),
             csv ? "seed" : "seed", "workstation", csv ? "computing_s" : "computing s",
             csv ? "spinning_s" : "spinning s", csv ? "switching_s" : "switching s",
             csv ? "idle_s" : "idle s", "switches");
  unsigned number = 0;
  for (const Account& one : outcome.result.workstations) {
    fmt::print(fmt::runtime(csv ? "{},{},{:.9f},{:.9f},{:.9f},{:.9f},{}\n"
                                : "{:4} {:11} {:11.4f} {:11.4f} {:11.4f} {:11.4f} {:11}\n"),
               outcome.seed, number++, seconds(one.in(Doing::kComputing)),
               seconds(one.in(Doing::kSpinning)), seconds(one.in(Doing::kSwitching)),
               seconds(one.in(Doing::kIdle)), one.switches);
  }
}

}  // namespace muster::cluster
