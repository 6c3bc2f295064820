// Muster's own waiting, and models of the stock runtimes', on the simulated SMP.
#include "sim/smp/production_jobs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "sim/smp/fiber_job.h"
#include "sim/smp/production_registry.h"
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
  Interval interval = interval_below(6'000, 0.3);
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

TEST(ProductionJobs, AutoSpinsAloneAndGivesWayBesideOthers) {
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
  EXPECT_GT(beside.stats.yields.read() + beside.stats.gave_way.read(), 0U);
  // The sensor's looks found the strangers: a waiter does not spin through their turns.
  EXPECT_LT(static_cast<double>(beside.spun),
            0.5 * static_cast<double>(beside.elapsed) * experiment.size);
}

TEST(ProductionJobs, SayWhatIsWrongWithAPolicy) {
  EXPECT_EQ(wrong_with_production_policy("2cs+"), "");
  EXPECT_EQ(wrong_with_production_policy("dist-sensor/50us"), "");
  EXPECT_NE(wrong_with_production_policy("native/auto"), "");
  EXPECT_NE(wrong_with_production_policy("50ms").find(MUSTER_WAIT_VALUES), std::string::npos);
  for (const char* wrong : {"", "us", "-1us", "1.5us", "60000001us", "auto/", "/auto", "tree/tree"})
    EXPECT_NE(wrong_with_production_policy(wrong), "") << wrong;
  const JobPlan plan = plan_of(2, {1, 0}, 1, "libomq");
  EXPECT_THROW(make_production(plan, 0, {}), std::invalid_argument);
  EXPECT_THROW(make_stock(plan, 0, {}, 1), std::invalid_argument);
}

// Each thread computes for times of its own.
class Scripted : public FiberJob<Job> {
 public:
  using Script = std::function<void(unsigned thread, World& world)>;
  Scripted(const JobPlan& plan, const Costs& costs, Script script)
      : FiberJob(plan, 0, costs), script_(std::move(script)) {}

 private:
  void arrive_and_wait(unsigned thread, std::uint64_t) override { script_(thread, world()); }
  Script script_;
};

// Runs the script on so many processors; the tasks' times are in `machine`.
struct Scene {
  Scene(unsigned threads, unsigned processors, Time context_switch, const Costs& costs,
        Scripted::Script script)
      : scheduler(1'000'000'000),
        machine({processors, context_switch, 1}, scheduler),
        job(plan_of(threads, {1, 0}, 1, {}), costs, std::move(script)) {
    job.make(machine, 1, [this] { machine.stop(); });
    machine.arrive(job.tasks(), 0);
    machine.run();
  }
  RoundRobin scheduler;
  Machine machine;
  Scripted job;
};

TEST(SimulatedMemory, SleepsAndWakesAtTheTimesThatTheyTake) {
  Costs costs = Costs::none();
  costs.futex_wait = 100;
  costs.futex_wake = 200;
  costs.wake_each = 300;
  SimulatedMemory::Atomic<std::uint32_t> word{0};
  Time woken = 0;
  bool turned_away = true;
  Scene scene(2, 2, 1'000, costs, [&](unsigned thread, World& world) {
    if (thread == 0) {
      turned_away = SimulatedMemory::wait(word, 7, false);
      EXPECT_TRUE(SimulatedMemory::wait(word, 0, false));
      woken = world.machine().now();
    } else {
      world.compute(5'000);
      word.store(1, std::memory_order_release);
      word.store(1, std::memory_order_release);
      SimulatedMemory::wake_all(word);
      world.compute(2'000);  // or its processor would take thread 0
    }
  });
  EXPECT_FALSE(turned_away);
  // Interrupted, switched to: 1 + 1,000; computed 1 and 5,000; the call 200 and 300; again 1 + 1,000.
  EXPECT_EQ(woken, 1'001 + 1 + 5'000 + 500 + 1'001);
}

TEST(SimulatedMemory, ALimitedSleepEndsByItself) {
  SimulatedMemory::Atomic<std::uint32_t> word{0};
  Time slept = 0;
  Scene scene(1, 1, 0, Costs::none(), [&](unsigned, World& world) {
    const Time before = world.machine().now();
    EXPECT_TRUE(SimulatedMemory::wait(word, 0, true));
    slept = world.machine().now() - before;
  });
  EXPECT_EQ(slept, 1'000'000 + 1);
}

TEST(SimulatedMemory, AStoreEndsASpinAtOnce) {
  SimulatedMemory::Atomic<std::uint32_t> word{0};
  SimulatedMemory::Atomic<std::uint32_t> other{0};
  Time stored = 0;
  Time seen = 0;
  Scene scene(2, 2, 0, Costs::none(), [&](unsigned thread, World& world) {
    if (thread == 0) {
      while (word.load(std::memory_order_acquire) == 0) SimulatedMemory::pause();
      seen = world.machine().now();
    } else {
      world.compute(1'000'000);
      other.store(1, std::memory_order_release);  // nobody looks at it
      world.compute(1'000'003);
      word.store(1, std::memory_order_release);
      stored = world.machine().now();
    }
  });
  EXPECT_EQ(seen, stored);
}

TEST(SimulatedMemory, AThreadMovesWhereItIsPinned) {
  unsigned before = kNoCpu;
  unsigned after = kNoCpu;
  Scene scene(1, 4, 100, Costs::none(), [&](unsigned, World&) {
    before = SimulatedMemory::current_cpu();
    EXPECT_TRUE(SimulatedMemory::stay_on((before + 2) % 4));
    after = SimulatedMemory::current_cpu();
    EXPECT_EQ(SimulatedMemory::stays_on(), after);
    SimulatedMemory::give_place_back();
    EXPECT_TRUE(SimulatedMemory::leave_cpu(after));
    EXPECT_NE(SimulatedMemory::current_cpu(), after);
  });
  EXPECT_EQ(after, (before + 2) % 4);
  EXPECT_EQ(scene.job.tasks()[0]->pinned, kNoProcessor);
}

// Three threads meet once; thread 1 comes 600 after thread 0, thread 2 when it is told to. W is 1,000.
struct Meeting {
  explicit Meeting(Time last_comes) {
    Arena arena;
    const auto* ops = simulated_barrier_ops(BarrierKind::kFetchAdd, WaitKind::kConditional);
    EXPECT_TRUE(arena.reserve(ops->bytes(3, {})));
    void* state = ops->create(arena, 3, {}, {.team_size = 3, .wake_ns = 1'000});
    Interruption<SimulatedMemory> interruption;
    Scene scene(3, 3, 0, Costs::none(), [&](unsigned thread, World& world) {
      world.compute(thread == 0 ? 1 : thread == 1 ? 600 : last_comes);
      ops->arrive_and_wait(state, thread, 1, interruption, stats[thread]);
    });
    for (unsigned i = 0; i < 3; ++i) spun[i] = scene.job.tasks()[i]->spun;
  }
  WaitStats stats[3];
  Time spun[3] = {};
};

// A poll takes 1 here; before the clock is read there are 96, and budgets are looked at after 16.
constexpr Time kPolls = 96 + 16 + 16;

TEST(ProductionJobs, ConditionalGoesOnWhileTeammatesCome) {
  // Thread 0 sees thread 1 come within its first W, so it waits 3 W more, in which thread 2 comes.
  const Meeting soon(3'900);
  EXPECT_EQ(soon.stats[0].blocks.read(), 0U);
  EXPECT_EQ(soon.stats[0].spins_succeeded.read(), 1U);
  EXPECT_NEAR(static_cast<double>(soon.spun[0]), 3'899, 2);
  // Thread 1 sees nobody come within W.
  EXPECT_EQ(soon.stats[1].blocks.read(), 1U);
  EXPECT_NEAR(static_cast<double>(soon.spun[1]), 1'000 + kPolls / 2, kPolls / 2 + 1'000 / 32);
}

TEST(ProductionJobs, ConditionalGivesUpWhenNobodyComesAnyMore) {
  const Meeting late(20'000);
  EXPECT_EQ(late.stats[0].blocks.read(), 1U);
  EXPECT_NEAR(static_cast<double>(late.spun[0]), 4'000 + kPolls / 2, kPolls / 2 + 4'000 / 32);
  EXPECT_EQ(late.stats[1].blocks.read(), 1U);
  EXPECT_EQ(late.stats[2].arrived_last.read(), 1U);
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
