#include "sim/smp/run_plan.h"

#include <fmt/format.h>

#include <array>

#include "options/wait_names.h"
#include "sim/smp/schedulers.h"
#include "sim/smp/wait_plan.h"
#include "waiting/random.h"

namespace muster::smp {
namespace {

using sim::RunTable;

constexpr double kDefaultDeviationShare = 0.3;
constexpr double kMostUpdates = 1e6;  // of a stream

constexpr std::array kGranularities = {Granularity::kFine, Granularity::kMedium,
                                       Granularity::kCoarse};

Granularity granularity_of(RunTable& table, const char* key) {
  return table.choice<Granularity>(key, {{"fine", Granularity::kFine},
                                         {"medium", Granularity::kMedium},
                                         {"coarse", Granularity::kCoarse}});
}

MachineShape read_machine(RunTable table) {
  MachineShape out;
  out.processors = static_cast<unsigned>(table.integer("processors", 1, kMostProcessors));
  out.context_switch = table.integer("context_switch", 0, kLongest);
  out.interrupt_delay = table.integer_or("interrupt_delay", 0, kLongest, out.interrupt_delay);
  out.idle_at_once = table.flag_or("idle_at_once", false);
  table.end();
  return out;
}

void check_policy(RunTable& table, const RunPlan& plan, const std::string& policy) {
  if (const std::string allowed = policies_if_not_one(plan, policy); !allowed.empty())
    table.fail_at("policy", fmt::format("cannot be \"{}\"; allowed: {}", policy, allowed));
}

double read_limit_share(RunTable& table) { return table.real_or("limit_share", 0.01, 1, 1); }

void read_interval(RunTable& table, const RunPlan& plan, JobPlan& job) {
  const double share = table.real_or("deviation_share", 0, 10, kDefaultDeviationShare);
  if (table.has("granularity")) {
    if (table.has("mean") || table.has("deviation"))
      table.fail_at("granularity", "does not go with mean and deviation");
    const Granularity granularity = granularity_of(table, "granularity");
    job.interval =
        interval_of(granularity, plan.machine.context_switch, share, read_limit_share(table));
    job.label = name_of(granularity);
    return;
  }
  job.interval.mean = table.real("mean", 1, 1e12);
  if (table.has("deviation") && table.has("deviation_share"))
    table.fail_at("deviation", "does not go with deviation_share");
  job.interval.deviation = table.real_or("deviation", 0, 1e12, share * job.interval.mean);
  job.label = "own";
}

Arrivals read_arrivals(RunTable& table) {
  Arrivals out;
  out.gap = table.integer("gap", 1, kLongest);
  out.burst = static_cast<unsigned>(table.integer_or("burst", 1, 1'000'000, out.burst));
  out.fill = table.integer_or("fill", 0, kLongest, out.fill);
  out.until = table.integer("until", 1, kLongest);
  const double updates = static_cast<double>(out.until) / static_cast<double>(out.gap) * out.burst;
  if (updates > kMostUpdates)
    table.fail_at("gap", fmt::format("makes {:.3g} updates until {}; at most {}", updates,
                                     out.until, kMostUpdates));
  return out;
}

void read_job(RunTable table, RunPlan& plan) {
  JobPlan job;
  enum class Kind : std::uint8_t { kSynchronizing, kStream, kBackground };
  const Kind kind = table.choice<Kind>("kind", {{"synchronizing", Kind::kSynchronizing},
                                                {"stream", Kind::kStream},
                                                {"background", Kind::kBackground}});
  job.synchronizing = kind != Kind::kBackground;
  job.size = static_cast<unsigned>(table.integer("size", job.synchronizing ? 1 : 0, kMostThreads));
  const std::int64_t count = table.integer_or("count", 0, kMostThreads, 1);
  job.arrives = table.integer_or("arrives", 0, kLongest, 0);
  job.nice = static_cast<int>(table.integer_or("nice", -20, 19, 0));
  // What sched_setattr takes.
  job.slice = table.integer_or("slice", 100'000, 100'000'000, 0);
  if (job.slice != 0 && plan.scheduler != "eevdf")
    table.fail_at("slice", "is of the scheduler eevdf only");
  if (job.synchronizing) {
    read_interval(table, plan, job);
    if (table.has("label")) job.label = table.get<std::string>("label");
    if (kind == Kind::kStream) {
      if (plan.code != Code::kModel)
        table.fail_at("kind", "\"stream\" needs [wait] code = \"model\"");
      if (!table.has("granularity") && !table.has("label")) job.label = "stream";
      job.stream = read_arrivals(table);
    }
    if (table.has("work") && kind != Kind::kStream) {
      if (table.has("barriers")) table.fail_at("work", "does not go with barriers");
      const Time work = table.integer("work", 1, kLongest);
      job.barriers = static_cast<std::uint64_t>(
          std::max(1.0, std::round(static_cast<double>(work) / job.interval.mean)));
    } else {
      job.barriers = static_cast<std::uint64_t>(table.integer("barriers", 1, kLongest));
    }
    job.policy = plan.policy;
    if (table.has("policy")) {
      job.policy = table.get<std::string>("policy");
      check_policy(table, plan, job.policy);
    }
  } else {
    job.label = "background";
  }
  table.end();
  if (job.size == 0) return;
  for (std::int64_t i = 0; i < count; ++i) plan.jobs.push_back(job);
}

MixPlan read_mix(RunTable table) {
  MixPlan out;
  out.threads = static_cast<unsigned>(table.integer("threads", 1, kMostThreads));
  out.least = static_cast<unsigned>(table.integer("least", 1, kMostThreads));
  out.most = static_cast<unsigned>(table.integer("most", out.least, kMostThreads));
  out.work = table.integer("work", 1, kLongest);
  out.deviation_share = table.real_or("deviation_share", 0, 10, kDefaultDeviationShare);
  out.limit_share = read_limit_share(table);
  if (table.has("granularity")) {
    out.granularities = {granularity_of(table, "granularity")};
  } else {
    out.granularities.assign(kGranularities.begin(), kGranularities.end());
  }
  table.end();
  return out;
}

unsigned threads_of(const std::vector<JobPlan>& jobs) {
  unsigned out = 0;
  for (const JobPlan& job : jobs) out += job.size;
  return out;
}

}  // namespace

const char* name_of(Granularity granularity) {
  switch (granularity) {
    case Granularity::kFine:
      return "fine";
    case Granularity::kMedium:
      return "medium";
    case Granularity::kCoarse:
      return "coarse";
  }
  return "";
}

Interval interval_of(Granularity granularity, Time context_switch, double deviation_share,
                     double limit_share) {
  const auto cs = limit_share * static_cast<double>(std::max<Time>(context_switch, 1));
  switch (granularity) {
    case Granularity::kFine:
      return interval_below(cs, deviation_share);
    case Granularity::kMedium:
      return interval_below(5 * cs, deviation_share);
    case Granularity::kCoarse:
      return interval_below(20 * cs, deviation_share);
  }
  return {};
}

std::optional<Time> spin_budget(const std::string& policy, Time context_switch) {
  if (policy == "spin") return kNever;
  if (policy == "block") return 0;
  for (int i = 0; i < kWaitKinds; ++i) {
    const Time thousandths = thousandths_of_switch(static_cast<WaitKind>(i));
    if (thousandths != 0 && policy == kWaitNames[i]) return context_switch * thousandths / 1000;
  }
  if (!policy.empty() && policy.size() < 15 &&
      policy.find_first_not_of("0123456789") == std::string::npos)
    return std::stoll(policy);
  return std::nullopt;
}

RunPlan read_plan(const sim::RunFile& file) {
  RunTable root = file.root();
  RunPlan out;
  if (root.has("title")) out.title = root.get<std::string>("title");
  if (root.has("unit"))
    out.unit = root.choice<Unit>("unit", {{"steps", Unit::kSteps}, {"ns", Unit::kNs}});
  out.seed = static_cast<std::uint64_t>(root.integer_or("seed", 0, kLongest, 1));
  out.limit = root.integer_or("limit", 1, kLongest, kLongest);
  out.count_from = root.integer_or("count_from", 0, kLongest, 0);
  if (root.has("stop"))
    out.stop = root.choice<Stop>("stop", {{"all", Stop::kAll}, {"first", Stop::kFirst}});
  if (root.has("order"))
    out.random_order = root.choice<bool>("order", {{"random", true}, {"given", false}});
  out.machine = read_machine(root.table("machine"));
  read_scheduler(root.table("scheduler"), out);
  if (out.machine.idle_at_once && out.scheduler != "rr" && out.scheduler != "linux24")
    root.fail("[machine] idle_at_once is of the schedulers rr and linux24");
  if (root.has("wait")) {
    RunTable wait = root.table("wait");
    read_code(wait, out);
    out.policy = wait.get<std::string>("policy");
    check_policy(wait, out, out.policy);
    wait.end();
  } else {
    out.policy = "cs";
  }
  read_costs(root, out);
  if (root.has("job")) {
    for (RunTable& table : root.tables("job")) read_job(std::move(table), out);
  }
  if (root.has("mix")) out.mix = read_mix(root.table("mix"));
  root.end();
  bool synchronizing = out.mix.has_value();
  for (const JobPlan& job : out.jobs) synchronizing = synchronizing || job.synchronizing;
  if (!synchronizing && out.limit == kLongest)
    root.fail("without a synchronizing [[job]] or a [mix] the run needs a limit");
  if (threads_of(out.jobs) > kMostThreads)
    root.fail(
        fmt::format("the jobs have {} threads; at most {}", threads_of(out.jobs), kMostThreads));
  return out;
}

std::vector<JobPlan> RunPlan::jobs_of(std::uint64_t of_seed) const {
  std::vector<JobPlan> out = jobs;
  if (!mix) return out;
  MixedNumbers numbers(of_seed ^ 0x5851F42D4C957F2DU);
  const auto below = [&](std::size_t many) { return static_cast<unsigned>(numbers.next() % many); };
  for (unsigned left = mix->threads; left > 0;) {
    JobPlan job;
    job.size = std::min(left, mix->least + below(mix->most - mix->least + 1));
    // Nobody would wait for a rest that is smaller than any job.
    if (left - job.size < mix->least) job.size = left;
    const Granularity granularity = mix->granularities[below(mix->granularities.size())];
    job.interval =
        interval_of(granularity, machine.context_switch, mix->deviation_share, mix->limit_share);
    job.label = name_of(granularity);
    job.barriers = static_cast<std::uint64_t>(
        std::max(1.0, std::round(static_cast<double>(mix->work) / job.interval.mean)));
    job.policy = policy;
    left -= job.size;
    out.push_back(job);
  }
  return out;
}

std::unique_ptr<Job> RunPlan::make_job(const JobPlan& job, unsigned number, TurnPage& page) const {
  if (!job.synchronizing) return make_background(job, number);
  return make_waiting_job(*this, job, number, page);
}

}  // namespace muster::smp
