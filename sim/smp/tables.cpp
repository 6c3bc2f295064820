#include "sim/smp/tables.h"

#include <fmt/format.h>

#include <cmath>

namespace muster::smp {
namespace {

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : "";
}

double speed_up(const Pair& pair, const std::string& label) {
  if (!pair.block) return std::numeric_limits<double>::quiet_NaN();
  return pair.block->completion(label) / pair.result.completion(label);
}

unsigned jobs_of(const RunResult& result, const std::string& label) {
  unsigned out = 0;
  for (const JobResult& job : result.jobs) {
    out += job.synchronizing && (label == "all" || job.label == label);
  }
  return out;
}

unsigned threads_of(const RunResult& result, const std::string& label) {
  unsigned out = 0;
  for (const JobResult& job : result.jobs) {
    if (job.synchronizing && (label == "all" || job.label == label)) out += job.size;
  }
  return out;
}

// Mean and average absolute deviation, as the paper gives them.
std::string mean_of(const std::vector<double>& values, int digits) {
  double sum = 0;
  unsigned count = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    sum += value;
    ++count;
  }
  if (count == 0) return "-";
  const double mean = sum / count;
  double away = 0;
  for (const double value : values) {
    if (std::isfinite(value)) away += std::abs(value - mean);
  }
  if (count == 1) return fmt::format("{:.{}f}", mean, digits);
  return fmt::format("{:.{}f} +- {:.{}f}", mean, digits, away / count, digits);
}

// Of the groups that have streams.
void print_latencies(const std::vector<Pair>& pairs) {
  const RunResult& first = pairs.front().result;
  for (const std::string& label : first.labels()) {
    if (first.latencies(label).updates == 0) continue;
    std::vector<Latencies> found;
    for (const Pair& pair : pairs) found.push_back(pair.result.latencies(label));
    const auto column = [&](auto value_of) {
      std::vector<double> values;
      for (const Latencies& one : found) values.push_back(value_of(one));
      return mean_of(values, 0);
    };
    const auto at = [&](double share) {
      return column([share](const Latencies& one) { return one.at(share); });
    };
    const auto count = [](std::size_t number) { return static_cast<double>(number); };
    fmt::print(
        "{}: {} of {} updates over; latency {}, half below {}, 9 of 10 below {}, 99 of 100 below "
        "{}\n",
        label, column([&](const Latencies& one) { return count(one.sorted.size()); }),
        column([&](const Latencies& one) { return count(one.updates); }),
        column([](const Latencies& one) { return one.mean(); }), at(0.5), at(0.9), at(0.99));
  }
}

}  // namespace

void print_csv(const RunPlan& plan, const std::vector<Pair>& pairs) {
  fmt::print(
      "seed,scheduler,processors,all_threads,group,jobs,threads,barriers,spins,successful_spins,"
      "ssr,blocks,completion,speedup_over_block,elapsed,computing,spinning,switching,idle,"
      "idle_processors,updates,updates_over,latency_mean,latency_least,latency_p10,latency_median,"
      "latency_p90,latency_p99,latency_most\n");
  for (const Pair& pair : pairs) {
    const RunResult& result = pair.result;
    for (const std::string& label : result.labels()) {
      const Waits waits = result.waits(label);
      const Latencies latencies = result.latencies(label);
      fmt::print(
          "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{:.6f},{:.6f},{:.6f},{:.6f},{:.4f},{},{},"
          "{},{},{},{},{},{},{}\n",
          result.seed, plan.scheduler, result.processors, result.threads, label,
          jobs_of(result, label), threads_of(result, label), waits.barriers, waits.spins,
          waits.successful_spins, number(waits.ssr()), waits.blocks,
          number(result.completion(label)), number(speed_up(pair, label)), result.elapsed,
          result.share(Activity::kComputing), result.share(Activity::kSpinning),
          result.share(Activity::kSwitching), result.share(Activity::kIdle),
          result.idle_processors(), latencies.updates, latencies.sorted.size(),
          number(latencies.mean()), number(latencies.at(0)), number(latencies.at(0.1)),
          number(latencies.at(0.5)), number(latencies.at(0.9)), number(latencies.at(0.99)),
          number(latencies.at(1)));
    }
  }
}

void print_jobs(const RunPlan& plan, const std::vector<Pair>& pairs) {
  fmt::print("seed,processors,job,label,policy,synchronizing,threads,barriers,ran,time\n");
  for (const Pair& pair : pairs) {
    const RunResult& result = pair.result;
    for (std::size_t i = 0; i < result.jobs.size(); ++i) {
      const JobResult& job = result.jobs[i];
      fmt::print("{},{},{},{},{},{:d},{},{},{},{}\n", result.seed, result.processors, i, job.label,
                 job.policy, job.synchronizing, job.size, job.counted_barriers, job.counted_ran,
                 result.elapsed - plan.count_from);
    }
  }
}

void print_table(const RunPlan& plan, const std::vector<Pair>& pairs) {
  const RunResult& first = pairs.front().result;
  fmt::print("{}{}{} processors, {} threads, {}; {} seed{}\n", plan.title,
             plan.title.empty() ? "" : ": ", first.processors, first.threads, plan.scheduler,
             pairs.size(), pairs.size() == 1 ? "" : "s, mean +- average deviation");
  fmt::print("{:<12} {:>5} {:>8} {:>15} {:>22} {:>15}\n", "jobs", "", "threads", "SSR %",
             "completion", "over block");
  for (const std::string& label : first.labels()) {
    std::vector<double> ssr;
    std::vector<double> completion;
    std::vector<double> speed_ups;
    for (const Pair& pair : pairs) {
      ssr.push_back(pair.result.waits(label).ssr());
      completion.push_back(pair.result.completion(label));
      speed_ups.push_back(speed_up(pair, label));
    }
    fmt::print("{:<12} {:>5} {:>8} {:>15} {:>22} {:>15}\n", label, jobs_of(first, label),
               threads_of(first, label), mean_of(ssr, 1), mean_of(completion, 0),
               mean_of(speed_ups, 2));
  }
  print_latencies(pairs);
  const auto share = [&](Activity activity) {
    std::vector<double> values;
    for (const Pair& pair : pairs) values.push_back(100 * pair.result.share(activity));
    return mean_of(values, 1);
  };
  fmt::print("processors' time: computing {} %, spinning {} %, switching {} %, idle {} %\n",
             share(Activity::kComputing), share(Activity::kSpinning), share(Activity::kSwitching),
             share(Activity::kIdle));
}

}  // namespace muster::smp
