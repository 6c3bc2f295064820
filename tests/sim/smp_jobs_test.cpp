// Jobs at barriers, their SSR by hand, and runs as a whole.
#include <gtest/gtest.h>

#include <cmath>

#include "sim/smp/jobs.h"
#include "sim/smp/round_robin.h"
#include "sim/smp/run.h"

namespace muster::smp {
namespace {

RunPlan plan(unsigned processors, Time context_switch) {
  RunPlan out;
  out.machine = {processors, context_switch, 1};
  out.scheduler = "rr";
  out.make_scheduler = [] { return std::make_unique<RoundRobin>(1000); };
  out.policy = "cs";
  out.random_order = false;
  return out;
}

JobPlan job(unsigned size, double mean, std::uint64_t barriers, const std::string& policy) {
  JobPlan out;
  out.label = "own";
  out.size = size;
  out.interval = {mean, 0};
  out.barriers = barriers;
  out.policy = policy;
  return out;
}

TEST(SmpJobs, WithAProcessorForEachEverySpinSucceeds) {
  RunPlan with = plan(4, 6);
  with.jobs = {job(4, 10, 50, "cs")};
  const RunResult result = run(with, 1);
  const Waits waits = result.waits("all");
  EXPECT_EQ(waits.barriers, 200);
  EXPECT_EQ(waits.spins, 150);  // three of four: the last to arrive does not spin
  EXPECT_EQ(waits.successful_spins, 150);
  EXPECT_EQ(waits.ssr(), 100);
  EXPECT_EQ(result.elapsed, 7 + 50 * 10);
}

// Two threads on one processor, switches of 6, intervals of 10, spinning 6. The first computes from 7 to
// 17, spins to 23 and blocks; the second begins at 29, arrives at 39 and is the last. It wakes the first,
// computes to 49, spins to 55, blocks; the first begins at 61, arrives at 71, is the last, wakes the
// second, and so on: one spin for each barrier, and none succeeds.
TEST(SmpJobs, SsrByHand) {
  RunPlan with = plan(1, 6);
  with.jobs = {job(2, 10, 4, "cs")};
  const RunResult result = run(with, 1);
  EXPECT_EQ(result.waits("all").spins, 4);
  EXPECT_EQ(result.waits("all").successful_spins, 0);
  EXPECT_EQ(result.waits("all").blocks, 4);
  EXPECT_EQ(result.waits("all").ssr(), 0);
  // The barriers are at 39, 71, 103 and 135; then the last one out has its switch to make.
  EXPECT_EQ(result.elapsed, 135 + 6);
}

TEST(SmpJobs, AlwaysBlockNeverSpinsAndAlwaysSpinAlwaysSucceeds) {
  for (const char* policy : {"block", "spin"}) {
    RunPlan with = plan(1, 6);
    with.jobs = {job(2, 10, 4, policy)};
    const Waits waits = run(with, 1).waits("all");
    EXPECT_EQ(waits.blocks, policy == std::string("block") ? 4 : 0);
    EXPECT_EQ(waits.spins, policy == std::string("block") ? 0 : 4);
    EXPECT_EQ(waits.spins, waits.successful_spins);
  }
}

TEST(SmpJobs, BudgetsAreThoseOfTheProductionPolicies) {
  EXPECT_EQ(spin_budget("cs", 1000), 1000);
  EXPECT_EQ(spin_budget("cs+", 1000), 1200);
  EXPECT_EQ(spin_budget("2cs+", 1000), 2200);
  EXPECT_EQ(spin_budget("block", 1000), 0);
  EXPECT_EQ(spin_budget("spin", 1000), kNever);
  EXPECT_EQ(spin_budget("17", 1000), 17);
  EXPECT_FALSE(spin_budget("2cs", 1000));
}

// Nine in ten below CS, below 5 CS, or below half of it; as drawn, also where CS is a few whole units.
TEST(SmpJobs, GranularityIsTheirs) {
  for (const auto& [granularity, switches] :
       {std::pair{Granularity::kFine, 1}, {Granularity::kMedium, 5}}) {
    for (const auto& [context_switch, deviation, share] :
         {std::tuple{600, 0.3, 1.0}, {600, 0.3, 0.5}, {6, 0.1, 1.0}, {6, 0.3, 1.0}}) {
      Intervals intervals(interval_of(granularity, context_switch, deviation, share), 1, 0);
      const double limit = share * switches * context_switch;
      int below = 0;
      for (int i = 0; i < 10'000; ++i) below += static_cast<double>(intervals.draw()) < limit;
      EXPECT_NEAR(below, 9000, 100) << limit;
    }
  }
}

TEST(SmpJobs, DeviationsAreNormal) {
  Intervals intervals({10'000, 1000}, 3, 4);
  double sum = 0;
  double squares = 0;
  int within = 0;
  for (int i = 0; i < 10'000; ++i) {
    const auto value = static_cast<double>(intervals.draw());
    sum += value;
    squares += value * value;
    within += std::abs(value - 10'000) < 1000;
  }
  const double mean = sum / 10'000;
  EXPECT_NEAR(mean, 10'000, 40);
  EXPECT_NEAR(std::sqrt(squares / 10'000 - mean * mean), 1000, 30);
  EXPECT_NEAR(within, 6827, 150);
}

TEST(SmpJobs, TheSameForTheSameSeedAndOthersForOthers) {
  RunPlan with = plan(4, 6);
  with.random_order = true;
  with.jobs = {job(6, 20, 200, "cs"), job(5, 30, 100, "2cs+")};
  for (JobPlan& one : with.jobs) one.interval.deviation = 5;
  EXPECT_EQ(run(with, 5).elapsed, run(with, 5).elapsed);
  EXPECT_NE(run(with, 5).elapsed, run(with, 6).elapsed);
}

TEST(SmpJobs, TimeAddsUp) {
  RunPlan with = plan(4, 6);
  with.jobs = {job(6, 20, 200, "cs"), job(5, 30, 100, "2cs+")};
  const RunResult result = run(with, 1);
  Time sum = 0;
  for (const Time time : result.times) sum += time;
  EXPECT_EQ(sum, 4 * result.elapsed);
  EXPECT_EQ(result.times[static_cast<int>(Activity::kComputing)], 6 * 20 * 200 + 5 * 30 * 100);
}

TEST(SmpJobs, AJobMayBeLargerThanTheMachine) {
  RunPlan with = plan(2, 6);
  with.jobs = {job(9, 20, 20, "2cs+")};
  EXPECT_EQ(run(with, 1).waits("all").barriers, 180);
}

TEST(SmpJobs, WhatIsNotDoneIsExtrapolated) {
  RunPlan with = plan(2, 0);
  with.jobs = {job(1, 10, 10, "cs"), job(1, 10, 1000, "cs")};
  with.stop = Stop::kFirst;
  const RunResult result = run(with, 1);
  EXPECT_EQ(result.elapsed, 101);
  EXPECT_NEAR(result.jobs[1].completion, 101 * 1000 / 10, 1200);
}

}  // namespace
}  // namespace muster::smp
