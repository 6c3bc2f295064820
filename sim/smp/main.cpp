// smp: threads of parallel jobs on processors that are fewer. docs/understand/simulators.md.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "sim/output_file.h"
#include "sim/smp/run.h"
#include "sim/smp/tables.h"
#include "sim/smp/trace.h"

namespace muster::smp {
namespace {

// Each seed on its own, whichever worker takes it.
std::vector<Pair> run_seeds(const RunPlan& plan, unsigned seeds, unsigned workers, bool compare) {
  std::vector<Pair> out(seeds);
  const RunPlan block = always_block(plan);
  std::atomic<unsigned> next{0};
  std::exception_ptr problem;
  std::mutex lock;
  const auto work = [&] {
    try {
      for (unsigned i = next++; i < seeds; i = next++) {
        out[i].result = run(plan, plan.seed + i);
        if (compare) out[i].block = run(block, plan.seed + i);
      }
    } catch (...) {
      const std::lock_guard guard(lock);
      problem = std::current_exception();
      next = seeds;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::min(workers, seeds); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (problem) std::rethrow_exception(problem);
  return out;
}

int run_program(int count, char** words) {
  CLI::App app("Parallel jobs on an SMP that has fewer processors than they have threads.");
  std::string file;
  std::vector<std::string> settings;
  unsigned seeds = 1;
  unsigned workers = 1;
  bool csv = false;
  bool each_job = false;
  bool compare = false;
  std::string trace;
  std::string states;
  Time period = 100;
  app.add_option("RUN.toml", file, "what is simulated (sim/smp/runs/every-key.toml has the keys)")
      ->required();
  app.add_option("--set", settings, "key=value: in place of what the file says; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--seeds", seeds, "how many, from the file's on (default 1)")
      ->check(CLI::Range(1U, 100'000U));
  app.add_option("--jobs", workers, "threads that run the seeds (default 1); changes no result")
      ->check(CLI::Range(1U, 1024U));
  app.add_flag("--speedup", compare, "run each seed with always-block as well, and compare");
  app.add_flag("--csv", csv, "every number, a line for each seed and group of jobs");
  app.add_flag("--each-job", each_job,
               "barriers and running time of each job from count_from on, as CSV");
  app.add_option("--trace", trace, "who ran when, as CSV, to FILE or stdout in place of the table")
      ->expected(0, 1)
      ->default_str("-");
  app.add_option("--states", states, "the states of the jobs' threads over time, as CSV, to FILE");
  app.add_option("--period", period, "between two samples of --states (default 100)")
      ->check(CLI::Range(Time{1}, kLongest));
  CLI11_PARSE(app, count, words);

  const RunPlan plan = read_plan(sim::RunFile(file, settings));
  const bool traces = app.count("--trace") > 0;
  if (!traces && states.empty()) {
    const std::vector<Pair> pairs = run_seeds(plan, seeds, workers, compare);
    const auto print = each_job ? print_jobs : csv ? print_csv : print_table;
    print(plan, pairs);
    return 0;
  }
  if (seeds != 1) throw std::runtime_error("--trace and --states are for one seed");
  Observers observers;
  const sim::OutputFile trace_file =
      traces ? sim::open_output(trace.empty() ? "-" : trace) : nullptr;
  const sim::OutputFile states_file = states.empty() ? nullptr : sim::open_output(states);
  std::optional<GanttTrace> gantt;
  std::optional<StatesOverTime> over_time;
  if (trace_file) observers.add(gantt.emplace(trace_file.get(), plan.machine.processors));
  if (states_file) observers.add(over_time.emplace(states_file.get(), period));
  Pair pair{run(plan, plan.seed, &observers), {}};
  if (gantt) gantt->finish(pair.result.elapsed);
  if (over_time) over_time->finish(pair.result.elapsed);
  if (trace_file.get() == stdout || states_file.get() == stdout) return 0;
  if (compare) pair.block = run(always_block(plan), plan.seed);
  csv ? print_csv(plan, {pair}) : print_table(plan, {pair});
  return 0;
}

}  // namespace
}  // namespace muster::smp

int main(int count, char** words) {
  try {
    return muster::smp::run_program(count, words);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "smp: %s\n", problem.what());
    return 2;
  }
}
