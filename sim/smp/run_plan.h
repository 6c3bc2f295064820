// What a run file says (runs/every-key.toml): machine, scheduler, jobs, how they wait.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/run_file.h"
#include "sim/smp/costs.h"
#include "sim/smp/jobs.h"
#include "sim/smp/machine.h"
#include "sim/smp/scheduler.h"

namespace muster {
struct TurnPage;
}

namespace muster::smp {

// The most that a run file may ask for.
inline constexpr unsigned kMostProcessors = 4096;
inline constexpr unsigned kMostThreads = 65'536;
inline constexpr Time kLongest = 1'000'000'000'000'000;

enum class Unit : std::uint8_t { kSteps, kNs };
// Whose code the threads of synchronizing jobs wait by: the paper's model of it (make_two_phase), or Muster's
// own and models of the stock runtimes' (production_jobs.h, stock_jobs.h).
enum class Code : std::uint8_t { kModel, kProduction };
enum class Stop : std::uint8_t { kAll, kFirst };
enum class Granularity : std::uint8_t { kFine, kMedium, kCoarse };

const char* name_of(Granularity granularity);

// A heterogeneous mix, drawn anew for each seed: jobs of random sizes and granularities until there are
// `threads` threads.
struct MixPlan {
  unsigned threads = 0;
  unsigned least = 2;
  unsigned most = 32;
  std::vector<Granularity> granularities;
  double deviation_share = 0;
  double limit_share = 1;  // interval_of
  Time work = 0;           // computing of each thread
};

struct RunPlan {
  std::string title;
  Unit unit = Unit::kSteps;
  MachineShape machine;
  std::string scheduler;  // its name
  std::function<std::unique_ptr<Scheduler>()> make_scheduler;
  Code code = Code::kModel;
  Costs costs;         // of production code
  std::string policy;  // of the jobs that do not say
  bool turns = false;  // between processes of production code (turns/)
  std::vector<JobPlan> jobs;
  std::optional<MixPlan> mix;
  Stop stop = Stop::kAll;
  Time limit = kLongest;
  Time count_from = 0;       // what each job does before is left out of print_jobs()
  bool random_order = true;  // of the threads, at the start
  std::uint64_t seed = 1;

  // Of one seed: those of the file, then the mix's.
  std::vector<JobPlan> jobs_of(std::uint64_t of_seed) const;
  // Makes a job that waits as its plan says. With turns, the page is the one that all jobs of a run share.
  std::unique_ptr<Job> make_job(const JobPlan& plan, unsigned number, TurnPage& page) const;
};

// Throws std::runtime_error naming file, line, key and what is allowed.
RunPlan read_plan(const sim::RunFile& file);

// The definition of Tsafrir and Feitelson, section 2.1: 9 in 10 intervals below CS, or 5 CS; coarse ones
// are longer, and here 9 in 10 are below 20 CS. A class has only that limit; with a `limit_share` below 1, 9 in 10 are
// below that share of it.
Interval interval_of(Granularity granularity, Time context_switch, double deviation_share,
                     double limit_share = 1);

// For how long a job of the paper's model spins: what the production class of that name in waiting/ makes of
// CS. kNever: without end; nothing where the policy has no fixed time.
std::optional<Time> spin_budget(const std::string& policy, Time context_switch);

}  // namespace muster::smp
