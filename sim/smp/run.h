// One run of a plan, and what came of it.
#pragma once

#include <string>
#include <vector>

#include "sim/smp/run_plan.h"

namespace muster::smp {

struct JobResult {
  std::string label;
  std::string policy;
  bool synchronizing = true;
  unsigned size = 0;
  Waits waits;  // of all its threads
  // When it was done. Where the run ended before, what it would have been at the same speed.
  double completion = 0;
  // Of a stream: all that come, and of those that are over how long each took from when it was due.
  std::size_t updates = 0;
  std::vector<Time> latencies;
  // From RunPlan::count_from on: barriers that its threads passed, and the time that they ran.
  std::uint64_t counted_barriers = 0;
  Time counted_ran = 0;
};

// Of streams together.
struct Latencies {
  std::size_t updates = 0;   // that come
  std::vector<Time> sorted;  // of those that are over

  // NaN where none is over.
  double mean() const;
  // The one below which that share of them is: 0 the least, 1 the most.
  double at(double share) const;
};

struct RunResult {
  std::uint64_t seed = 0;
  Time elapsed = 0;
  unsigned processors = 0;
  unsigned threads = 0;
  std::vector<JobResult> jobs;
  Time times[kActivities] = {};  // of all processors together, by Activity; adds up to all they had

  // The share of the processors' time, of 1.
  double share(Activity activity) const;
  double idle_processors() const { return share(Activity::kIdle) * processors; }

  // Sums over the jobs of a label; "all": all that synchronize.
  Waits waits(const std::string& label) const;
  // The same of its streams.
  Latencies latencies(const std::string& label) const;
  // Their mean completion.
  double completion(const std::string& label) const;
  // Those of jobs that synchronize, each once, "all" first where there are several.
  std::vector<std::string> labels() const;
};

// Deterministic: the same for the same plan and seed.
RunResult run(const RunPlan& plan, std::uint64_t seed, Observer* observer = nullptr);

// The same with every job blocking at once: what speed-ups refer to (section 5.2).
RunPlan always_block(const RunPlan& plan);

}  // namespace muster::smp
