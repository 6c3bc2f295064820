#include "sim/smp/run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include "turns/page.h"

namespace muster::smp {
namespace {

void shuffle(std::vector<Task*>& tasks, std::uint64_t seed) {
  MixedNumbers numbers(seed ^ 0xD1342543DE82EF95U);
  for (std::size_t i = tasks.size(); i > 1; --i) {
    std::swap(tasks[i - 1], tasks[numbers.next() % i]);
  }
}

JobResult result_of(const Job& job, Time elapsed) {
  JobResult out;
  out.label = job.plan().label;
  out.policy = job.plan().policy;
  out.synchronizing = job.plan().synchronizing;
  out.size = job.plan().size;
  out.waits = job.waits();
  out.updates = job.updates();
  out.latencies = job.latencies();
  if (!out.synchronizing) return out;
  const auto planned = static_cast<double>(job.barriers() * out.size);
  const auto passed = static_cast<double>(out.waits.barriers);
  const auto took = static_cast<double>(elapsed - job.plan().arrives);
  if (job.done()) {
    out.completion = static_cast<double>(job.ended() - job.plan().arrives);
  } else {
    out.completion =
        passed == 0 ? std::numeric_limits<double>::infinity() : took * planned / passed;
  }
  return out;
}

}  // namespace

namespace {

// What the jobs have done up to now, added or taken away.
void count(Machine& machine, const std::vector<std::unique_ptr<Job>>& jobs, bool begins,
           std::vector<JobResult>& out) {
  for (unsigned i = 0; i < machine.processors(); ++i) machine.bring_up_to_date(i);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const std::uint64_t barriers = jobs[i]->waits().barriers;
    Time ran = 0;
    for (const Task* task : jobs[i]->tasks()) ran += task->ran;
    out[i].counted_barriers += begins ? -barriers : barriers;
    out[i].counted_ran += begins ? -ran : ran;
  }
}

}  // namespace

RunResult run(const RunPlan& plan, std::uint64_t seed, Observer* observer) {
  const std::unique_ptr<Scheduler> scheduler = plan.make_scheduler();
  Machine machine(plan.machine, *scheduler, observer);
  const auto page = std::make_unique<TurnPage>();
  std::vector<std::unique_ptr<Job>> jobs;
  unsigned left = 0;
  const auto when_done = [&] {
    if (--left == 0 || plan.stop == Stop::kFirst) machine.stop();
  };
  std::map<Time, std::vector<Task*>> arriving;
  for (const JobPlan& job : plan.jobs_of(seed)) {
    jobs.push_back(plan.make_job(job, static_cast<unsigned>(jobs.size()), *page));
    if (job.synchronizing) ++left;
    jobs.back()->make(machine, seed, when_done);
    std::vector<Task*>& now = arriving[job.arrives];
    now.insert(now.end(), jobs.back()->tasks().begin(), jobs.back()->tasks().end());
  }
  for (auto& [at, tasks] : arriving) {
    if (plan.random_order) shuffle(tasks, seed);
    machine.arrive(tasks, at);
  }
  std::vector<JobResult> counted(jobs.size());
  if (plan.count_from > 0)
    machine.at(plan.count_from, [&] { count(machine, jobs, /*begins=*/true, counted); });
  machine.run(plan.limit);
  count(machine, jobs, /*begins=*/false, counted);

  RunResult out;
  out.seed = seed;
  out.elapsed = machine.now();
  out.processors = machine.processors();
  out.threads = static_cast<unsigned>(machine.tasks().size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    out.jobs.push_back(result_of(*jobs[i], machine.now()));
    out.jobs.back().counted_barriers = counted[i].counted_barriers;
    out.jobs.back().counted_ran = counted[i].counted_ran;
  }
  for (unsigned i = 0; i < machine.processors(); ++i) {
    for (int activity = 0; activity < kActivities; ++activity)
      out.times[activity] += machine.processor(i).times[activity];
  }
  return out;
}

double RunResult::share(Activity activity) const {
  const double all = static_cast<double>(elapsed) * processors;
  return all == 0 ? 0 : static_cast<double>(times[static_cast<int>(activity)]) / all;
}

Waits RunResult::waits(const std::string& label) const {
  Waits sum;
  for (const JobResult& job : jobs) {
    if (job.synchronizing && (label == "all" || job.label == label)) sum.add(job.waits);
  }
  return sum;
}

double Latencies::mean() const {
  double sum = 0;
  for (const Time one : sorted) sum += static_cast<double>(one);
  return sum / static_cast<double>(sorted.size());
}

double Latencies::at(double share) const {
  if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double place = share * static_cast<double>(sorted.size() - 1);
  return static_cast<double>(sorted[static_cast<std::size_t>(std::lround(place))]);
}

Latencies RunResult::latencies(const std::string& label) const {
  Latencies out;
  for (const JobResult& job : jobs) {
    if (label != "all" && job.label != label) continue;
    out.updates += job.updates;
    out.sorted.insert(out.sorted.end(), job.latencies.begin(), job.latencies.end());
  }
  std::ranges::sort(out.sorted);
  return out;
}

double RunResult::completion(const std::string& label) const {
  double sum = 0;
  unsigned count = 0;
  for (const JobResult& job : jobs) {
    if (!job.synchronizing || (label != "all" && job.label != label)) continue;
    sum += job.completion;
    ++count;
  }
  return count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / count;
}

std::vector<std::string> RunResult::labels() const {
  std::vector<std::string> out;
  for (const JobResult& job : jobs) {
    if (job.synchronizing && std::ranges::find(out, job.label) == out.end())
      out.push_back(job.label);
  }
  std::ranges::sort(out);
  if (out.size() > 1) out.insert(out.begin(), "all");
  return out;
}

RunPlan always_block(const RunPlan& plan) {
  RunPlan out = plan;
  out.policy = "block";
  for (JobPlan& job : out.jobs) {
    if (job.synchronizing) job.policy = "block";
  }
  return out;
}

}  // namespace muster::smp
