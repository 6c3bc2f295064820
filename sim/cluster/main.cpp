// cluster: jobs on workstations that schedule on their own. docs/understand/simulators.md.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/cluster/cluster.h"
#include "sim/cluster/tables.h"
#include "sim/output_file.h"

namespace muster::cluster {
namespace {

int run(int count, char** words) {
  CLI::App app(
      "Parallel jobs on a cluster of workstations, each with a scheduler of its own: how much\n"
      "longer they take than under explicit coscheduling. sim/cluster/runs/every-key.toml has the "
      "keys of a run.");
  std::string file;
  std::vector<std::string> settings;
  unsigned seeds = 1;
  bool csv = false;
  bool alone = false;
  bool workstations = false;
  std::string trace;
  app.add_option("RUN", file, "a run file (TOML)")->required();
  app.add_option("--set", settings, "key=value or table.key=value instead of the file's")
      ->allow_extra_args(false);
  app.add_option("--seeds", seeds, "as many runs, each with the next seed (default 1)")
      ->check(CLI::Range(1U, 10'000U));
  app.add_flag("--csv", csv, "every number, a line for each run");
  app.add_flag("--alone", alone, "without the reference, explicit coscheduling: no slowdown");
  auto* each = app.add_flag("--workstations", workstations, "what each workstation did, instead");
  app.add_option("--trace", trace, "write each event as CSV to FILE or stdout, instead")
      ->expected(0, 1)
      ->default_str("-")
      ->excludes(each);
  CLI11_PARSE(app, count, words);

  RunPlan one = load_run(file, settings);
  if (app.count("--trace") > 0) {
    if (seeds != 1) throw std::runtime_error("--trace is for one seed");
    const sim::OutputFile file_of_trace = sim::open_output(trace.empty() ? "-" : trace);
    Trace events(file_of_trace.get());
    Cluster(one, &events).run();
    return 0;
  }
  std::vector<Outcome> outcomes;
  for (unsigned i = 0; i < seeds; ++i, ++one.seed) {
    Outcome outcome;
    outcome.seed = one.seed;
    outcome.result = Cluster(one).run();
    if (!alone && !workstations)
      outcome.reference = one.scheduler.policy == Policy::kExplicit
                              ? outcome.result.completion
                              : Cluster(explicitly_coscheduled(one)).run().completion;
    outcomes.push_back(std::move(outcome));
  }
  if (workstations) {
    for (const Outcome& outcome : outcomes) print_workstations(outcome, csv);
  } else {
    print_outcomes(outcomes, csv);
  }
  return 0;
}

}  // namespace
}  // namespace muster::cluster

int main(int count, char** words) {
  try {
    return muster::cluster::run(count, words);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "cluster: {}\n", problem.what());
    return 2;
  }
}
