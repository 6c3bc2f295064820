// Muster's own waiting, and models of the stock runtimes', on the simulated SMP.
#include "sim/smp/production_jobs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "options/barrier_names.h"
#include "options/wait_names.h"
#include "sim/smp/round_robin.h"
#include "sim/smp/stock_jobs.h"

namespace muster::smp::test {
namespace {

struct Experiment {
  MachineShape shape{.processors = 32, .context_switch = 6'000, .interrupt_delay = 1};
  Time quantum = 100'000;
  Costs costs = Costs::none();
  unsigned size = 16;
  unsigned background = 0;
  Interval interval = interval_below(6'000.5, 0.3);  // at most 6,000
  std::uint64_t barriers = 200;
  std::string policy;
};

JobPlan plan_of(unsigned size, const Interval& interval, std::uint64_t barriers,
                const std::string& policy) {
  JobPlan out;
  out.size = size;
  out.interval = interval;
  out.barriers = barriers;
  out.policy = policy;
  return out;
}

struct Outcome {
  Time elapsed = 0;
  Waits waits;
  WaitStats stats;
  Time spun = 0;
  double processors_time = 0;
  Time activities[kActivities] = {};
  Time computed = 0;  // by all threads
};

// `budget`: the paper's model, spinning for so long, in place of the policy.
void run(const Experiment& experiment, Outcome& out, Time budget = -1) {
  RoundRobin scheduler(experiment.quantum);
  Machine machine(experiment.shape, scheduler);
  const JobPlan plan =
      plan_of(experiment.size, experiment.interval, experiment.barriers, experiment.policy);
  ProductionSetting setting{.costs = experiment.costs,
                            .context_switch = experiment.shape.context_switch,
                            .interrupt_delay = experiment.shape.interrupt_delay,
                            .processors = experiment.shape.processors};
  std::unique_ptr<Job> job;
  if (budget >= 0) {
    job = make_two_phase(plan, 0, budget);
  } else if (is_stock_policy(plan.policy)) {
    job = make_stock(plan, 0, setting.costs, setting.processors);
  } else {
    job = make_production(plan, 0, setting);
  }
  job->make(machine, 1, [&] { machine.stop(); });
  std::vector<Task*> tasks = job->tasks();
  JobPlan others = plan_of(experiment.background, {}, 0, {});
  others.synchronizing = false;
  const auto background = make_background(others, 1);
  background->make(machine, 1, [] {});
  tasks.insert(tasks.end(), background->tasks().begin(), background->tasks().end());
  machine.arrive(tasks, 0);
  machine.run(60'000'000'000);

  out.elapsed = machine.now();
  out.waits = job->waits();
  if (const auto* production = dynamic_cast<ProductionJob*>(job.get()))
    production->add_stats_to(out.stats);
  for (const Task* task : job->tasks()) out.spun += task->spun;
  for (const Task* task : tasks) out.computed += task->computed;
  for (unsigned i = 0; i < machine.processors(); ++i) {
    for (int activity = 0; activity < kActivities; ++activity)
      out.activities[activity] += machine.processor(i).times[activity];
  }
  out.processors_time = static_cast<double>(machine.now()) * machine.processors();
  EXPECT_TRUE(job->done()) << experiment.policy;
  EXPECT_EQ(out.waits.barriers, experiment.size * experiment.barriers) << experiment.policy;
}

TEST(ProductionJobs, WithoutCostsAreAsThePapersModel) {
  struct Case {
    const char* policy;
    Time budget;
  };
  for (const unsigned background : {0U, 14U, 20U}) {
    for (const auto& [policy, budget] :
         {Case{"fetch-add/cs", 6'000}, Case{"fetch-add/2cs+", 13'200},
          Case{"fetch-add/block", 0}}) {
      Experiment experiment{.background = background, .policy = policy};
      Outcome real;
      Outcome model;
      run(experiment, real);
      run(experiment, model, budget);
      const double ratio = static_cast<double>(real.elapsed) / static_cast<double>(model.elapsed);
      EXPECT_NEAR(ratio, 1, 0.05) << policy << " beside " << background;
      if (budget == 0) {
        EXPECT_EQ(real.waits.spins, 0U);
        continue;
      }
      EXPECT_EQ(real.waits.spins, model.waits.spins);
      EXPECT_NEAR(real.waits.ssr(), model.waits.ssr(), 4) << policy << " beside " << background;
    }
  }
}

TEST(ProductionJobs, JumpsOvershootNoMoreThanTheySay) {
  for (const char* policy : {"fetch-add/cs", "fetch-add/2cs+", "fetch-add/auto"}) {
    Experiment experiment{.shape = {4, 1'200, 1},
                          .quantum = 3'000'000,
                          .costs = {},
                          .size = 4,
                          .background = 2,
                          .interval = {20'000, 6'000},
                          .barriers = 200,
                          .policy = policy};
    Outcome jumps;
    run(experiment, jumps);
    experiment.costs.fine_share = experiment.costs.coarse_share = 0;
    Outcome exact;
    run(experiment, exact);
    const double ratio = static_cast<double>(jumps.elapsed) / static_cast<double>(exact.elapsed);
    EXPECT_NEAR(ratio, 1, 0.05) << policy;
    EXPECT_NEAR(jumps.waits.ssr(), exact.waits.ssr(), 5) << policy;
  }
}

TEST(ProductionJobs, AllTimeAddsUp) {
  for (const char* policy : {"auto", "dissemination/2cs+", "libomp", "libgomp"}) {
    Experiment experiment{.shape = {6, 1'200, 1},
                          .quantum = 3'000'000,
                          .costs = {},
                          .size = 8,
                          .background = 3,
                          .interval = {20'000, 6'000},
                          .barriers = 50,
                          .policy = policy};
    Outcome outcome;
    run(experiment, outcome);
    double sum = 0;
    for (const Time time : outcome.activities) sum += static_cast<double>(time);
    EXPECT_EQ(sum, outcome.processors_time) << policy;
    EXPECT_EQ(outcome.activities[static_cast<int>(Activity::kComputing)], outcome.computed)
        << policy;
  }
}

// On one real thread or several at once.
TEST(ProductionJobs, AreDeterministic) {
  const Experiment experiment{.shape = {4, 1'200, 1},
                              .quantum = 3'000'000,
                              .costs = {},
                              .size = 6,
                              .background = 2,
                              .interval = {20'000, 6'000},
                              .barriers = 100,
                              .policy = "auto"};
  Outcome outcomes[3];
  run(experiment, outcomes[0]);
  std::thread first([&] { run(experiment, outcomes[1]); });
  std::thread second([&] { run(experiment, outcomes[2]); });
  first.join();
  second.join();
  for (const Outcome& other : outcomes) {
    EXPECT_EQ(other.elapsed, outcomes[0].elapsed);
    EXPECT_EQ(other.spun, outcomes[0].spun);
    EXPECT_EQ(other.stats.yields.read(), outcomes[0].stats.yields.read());
    EXPECT_EQ(other.stats.blocks.read(), outcomes[0].stats.blocks.read());
  }
}

TEST(ProductionJobs, EveryAlgorithmAndPolicyRuns) {
  for (int barrier = 0; barrier < kBarrierKinds; ++barrier) {
    if (static_cast<BarrierKind>(barrier) == BarrierKind::kNative) continue;
    for (int wait = 0; wait < kWaitKinds; ++wait) {
      const bool fixed = static_cast<WaitKind>(wait) == WaitKind::kMicroseconds;
      const std::string name =
          std::string(kBarrierNames[barrier]) + "/" + (fixed ? "20us" : kWaitNames[wait]);
      ASSERT_EQ(wrong_with_production_policy(name), "");
      Experiment experiment{.shape = {3, 1'200, 1},
                            .quantum = 200'000,
                            .costs = {},
                            .size = 5,
                            .background = 1,
                            .interval = {5'000, 1'500},
                            .barriers = 10,
                            .policy = name};
      Outcome outcome;
      run(experiment, outcome);
    }
  }
}

TEST(ProductionJobs, AutoSpinsAloneAndBlocksBesideOthers) {
  Experiment experiment{.shape = {4, 1'200, 1},
                        .quantum = 3'000'000,
                        .costs = {},
                        .size = 4,
                        .interval = {10'000, 3'000},
                        .barriers = 2'000,
                        .policy = "auto"};
  Outcome alone;
  run(experiment, alone);
  EXPECT_EQ(alone.waits.blocks, 0U);
  EXPECT_EQ(alone.waits.ssr(), 100);
  experiment.background = 4;
  Outcome beside;
  run(experiment, beside);
  EXPECT_GT(beside.waits.blocks, 0U);
  // The sensor's looks found the competitors: a waiter does not spin through their turns.
  EXPECT_LT(static_cast<double>(beside.spun),
            0.5 * static_cast<double>(beside.elapsed) * experiment.size);
}

TEST(ProductionJobs, SayWhatIsWrongWithAPolicy) {
  EXPECT_EQ(wrong_with_production_policy("2cs+"), "");
  EXPECT_EQ(wrong_with_production_policy("dist-sensor/50us"), "");
  EXPECT_NE(wrong_with_production_policy("native/auto"), "");
  EXPECT_NE(wrong_with_production_policy("50ms").find(kind::Wait::values()), std::string::npos);
  for (const char* wrong : {"", "us", "-1us", "1.5us", "60000001us", "auto/", "/auto", "tree/tree"})
    EXPECT_NE(wrong_with_production_policy(wrong), "") << wrong;
  const JobPlan plan = plan_of(2, {1, 0}, 1, "libomq");
  EXPECT_THROW(make_production(plan, 0, {}), std::invalid_argument);
  EXPECT_THROW(make_stock(plan, 0, {}, 1), std::invalid_argument);
}

// A pair whose second thread computes for longer, by a stock runtime.
struct Pair {
  Pair(const std::string& policy, unsigned processors, Time longer) {
    RoundRobin scheduler(1'000'000'000);
    Machine machine({processors, 1'000, 1}, scheduler);
    const JobPlan plan = plan_of(2, {1, 0}, 1, policy);
    const auto job = make_stock(plan, 0, Costs(), processors);
    job->make(machine, 1, [&] { machine.stop(); });
    machine.arrive({job->tasks()[0]}, 0);
    machine.arrive({job->tasks()[1]}, longer);
    machine.run(10'000'000'000);
    EXPECT_TRUE(job->done());
    first = job->waits(0);
    spun = job->tasks()[0]->spun;
  }
  Waits first;
  Time spun = 0;
};

TEST(StockJobs, LibgompSpinsItsCountAndSleeps) {
  const Time look = Costs().pause + Costs().load;
  const Pair fits("libgomp", 2, 20'000'000);
  EXPECT_EQ(fits.first.blocks, 1U);
  EXPECT_NEAR(static_cast<double>(fits.spun), static_cast<double>(300'000 * look),
              0.04 * 300'000 * 14);
  const Pair in_time("libgomp", 2, 3'000'000);
  EXPECT_EQ(in_time.first.blocks, 0U);
  EXPECT_EQ(in_time.first.ssr(), 100);
  const Pair too_many("libgomp", 1, 100'000);
  EXPECT_EQ(too_many.first.blocks, 1U);
  EXPECT_NEAR(static_cast<double>(too_many.spun), static_cast<double>(100 * look), 700);
  const Pair passive("libgomp-passive", 2, 100'000);
  EXPECT_EQ(passive.first.blocks, 1U);
  EXPECT_EQ(passive.first.spins, 0U);
  EXPECT_LT(passive.spun, 1'000);
}

TEST(StockJobs, LibompSpinsItsBlockTimeAndSleeps) {
  const Pair fits("libomp", 2, 300'000'000);
  EXPECT_EQ(fits.first.blocks, 1U);
  EXPECT_NEAR(static_cast<double>(fits.spun), 200e6, 200e6 / 32);
  const Pair in_time("libomp", 2, 150'000'000);
  EXPECT_EQ(in_time.first.blocks, 0U);
  const Pair passive("libomp-passive", 2, 100'000);
  EXPECT_EQ(passive.first.blocks, 1U);
  EXPECT_LT(passive.spun, 2'000);
}

// Where they do not fit, libomp's threads hand the processor on by yields: nobody has to wait for the end
// of a turn.
TEST(StockJobs, LibompYieldsWhereThereAreTooManyThreads) {
  Experiment experiment{.shape = {2, 1'200, 1},
                        .quantum = 3'000'000,
                        .costs = {},
                        .size = 4,
                        .interval = {10'000, 0},
                        .barriers = 100,
                        .policy = "libomp"};
  Outcome outcome;
  run(experiment, outcome);
  EXPECT_EQ(outcome.waits.blocks, 0U);
  EXPECT_LT(outcome.elapsed, 100 * 60'000);
}

}  // namespace
}  // namespace muster::smp::test
