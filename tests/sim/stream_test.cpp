// Streams (sim/smp/stream_job.h): their updates' latencies by hand, and their arrivals.
#include <gtest/gtest.h>

#include <cmath>

#include "sim/smp/eevdf.h"
#include "sim/smp/gang.h"
#include "sim/smp/linux24.h"
#include "sim/smp/round_robin.h"
#include "sim/smp/run.h"

namespace muster::smp {
namespace {

// A switch takes 6, an interrupt 1. Bursts are far apart.
RunPlan plan(unsigned processors, JobPlan job) {
  RunPlan out;
  out.machine = {processors, 6, 1};
  out.scheduler = "rr";
  out.make_scheduler = [] { return std::make_unique<RoundRobin>(1000); };
  out.random_order = false;
  out.jobs = {std::move(job)};
  return out;
}

JobPlan stream(unsigned size, std::uint64_t barriers, const std::string& policy) {
  JobPlan out;
  out.label = "stream";
  out.size = size;
  out.interval = {10, 0};
  out.barriers = barriers;
  out.policy = policy;
  out.stream = {.gap = 1'000'000, .burst = 1, .fill = 0, .until = 10'000'000};
  return out;
}

// All of one length, at least three of them.
void expect_each(const RunResult& result, Time latency) {
  const Latencies found = result.latencies("stream");
  EXPECT_GE(found.updates, 3);
  EXPECT_EQ(found.sorted, std::vector<Time>(found.updates, latency));
}

// The one thread sleeps until an update is due; then an interrupt, a switch, three intervals.
TEST(SmpStreams, OneThread) { expect_each(run(plan(1, stream(1, 3, "block")), 1), 1 + 6 + 30); }

// Two threads on a processor. The first wakes and runs from 7 on, is the last at the barrier before the update,
// computes to 17 and blocks; the second runs from 23, computes to 33, is the last, goes on to 43, blocks; the first
// runs from 49 and is the last at 59. That is the second barrier of the update; with one alone, the second thread
// goes on to the next update's barrier at 33, and the first finds at 39 that it is over.
TEST(SmpStreams, TwoThreadsOnAProcessor) {
  expect_each(run(plan(1, stream(2, 2, "block")), 1), 59);
  expect_each(run(plan(1, stream(2, 1, "block")), 1), 39);
}

// Each with a processor. The other one has given up spinning long ago: it is woken at 7, computes from 14 to 24;
// the first has computed to 17 and spins. From then on both are in step.
TEST(SmpStreams, TwoThreadsThatSpin) {
  const RunResult result = run(plan(2, stream(2, 3, "20")), 1);
  expect_each(result, 24 + 10 + 10);
  const Waits waits = result.waits("stream");
  const std::size_t updates = result.jobs[0].updates;
  EXPECT_EQ(waits.barriers, 2 * 4 * updates);
  // Of the barrier before each update, the last one too: nobody waits for what does not come.
  EXPECT_EQ(waits.blocks, updates);
  EXPECT_EQ(waits.spins, 4 * updates);
  EXPECT_EQ(waits.successful_spins, 3 * updates);
}

// Due 5 after each other: the second begins when the first is over, 37 after that was due.
TEST(SmpStreams, WhatIsLateMakesTheNextOneLate) {
  JobPlan job = stream(1, 3, "block");
  job.stream->burst = 3;
  job.stream->fill = 5;
  const RunResult result = run(plan(1, job), 1);
  const Latencies found = result.latencies("stream");
  const auto bursts = static_cast<std::ptrdiff_t>(found.updates / 3);
  EXPECT_GE(bursts, 3);
  EXPECT_EQ(std::ranges::count(found.sorted, 37), bursts);
  EXPECT_EQ(std::ranges::count(found.sorted, 37 + 30 - 5), bursts);
  EXPECT_EQ(std::ranges::count(found.sorted, 37 + 60 - 10), bursts);
  EXPECT_EQ(found.sorted.size(), 3 * bursts);
}

TEST(SmpStreams, ArrivesLaterAsAnyJob) {
  JobPlan job = stream(1, 3, "block");
  const Time usual = run(plan(1, job), 1).elapsed;
  job.arrives = 5'000'000;
  const RunResult late = run(plan(1, job), 1);
  EXPECT_EQ(late.elapsed, usual + 5'000'000);
  expect_each(late, 37);
  EXPECT_EQ(late.completion("stream"), static_cast<double>(late.elapsed - job.arrives));
}

// Bursts at random: of 10 on average, the variance is 10 as well.
TEST(SmpStreams, BurstsArePoisson) {
  JobPlan job = stream(1, 1, "block");
  double sum = 0;
  double squares = 0;
  constexpr int kSeeds = 400;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    const auto updates =
        static_cast<double>(run(plan(1, job), static_cast<std::uint64_t>(seed)).jobs[0].updates);
    sum += updates;
    squares += updates * updates;
  }
  const double mean = sum / kSeeds;
  EXPECT_NEAR(mean, 10, 0.5);
  EXPECT_NEAR(squares / kSeeds - mean * mean, 10, 2.2);
}

TEST(SmpStreams, TwoOfARunDifferAndASeedDoesNot) {
  RunPlan with = plan(4, stream(2, 3, "20"));
  with.jobs.push_back(with.jobs[0]);
  for (JobPlan& job : with.jobs) job.stream->until = 100'000'000;
  const RunResult once = run(with, 3);
  EXPECT_NE(once.jobs[0].updates, once.jobs[1].updates);
  const RunResult again = run(with, 3);
  EXPECT_EQ(once.elapsed, again.elapsed);
  EXPECT_EQ(once.latencies("all").sorted, again.latencies("all").sorted);
  EXPECT_EQ(once.latencies("all").updates, once.jobs[0].updates + once.jobs[1].updates);
}

TEST(SmpStreams, WithoutABurstThereIsNothingToDo) {
  JobPlan job = stream(3, 2, "20");
  job.stream->until = 1;
  const RunResult result = run(plan(2, job), 1);
  EXPECT_EQ(result.latencies("stream").updates, 0);
  EXPECT_TRUE(std::isnan(result.latencies("stream").mean()));
  EXPECT_TRUE(std::isnan(result.latencies("stream").at(0.5)));
  EXPECT_LT(result.elapsed, 100);
}

TEST(SmpStreams, WhatTheLimitCutsIsNotOver) {
  RunPlan with = plan(1, stream(1, 3, "block"));
  with.limit = 5'000'000;
  const RunResult result = run(with, 1);
  const Latencies found = result.latencies("stream");
  EXPECT_GT(found.sorted.size(), 0);
  EXPECT_LT(found.sorted.size(), found.updates);
  EXPECT_EQ(result.elapsed, with.limit);
}

TEST(SmpStreams, UnderEachScheduler) {
  for (const auto& make : std::vector<std::function<std::unique_ptr<Scheduler>()>>{
           [] { return std::make_unique<RoundRobin>(15'000'000); },
           [] { return std::make_unique<Linux24>(Linux24Rules{.tick = 1'000'000}); },
           [] { return std::make_unique<Eevdf>(EevdfRules{}); },
           [] { return std::make_unique<Gang>(5'000'000, std::vector<std::int64_t>{}); },
           [] {
             return std::make_unique<Gang>(5'000'000, std::vector<std::int64_t>{}, true, true);
           }}) {
    RunPlan with = plan(4, stream(3, 50, "50000"));
    with.machine.context_switch = 3'700;
    with.make_scheduler = make;
    with.jobs[0].interval = {80'000, 30'000};
    with.jobs[0].stream = {.gap = 20'000'000, .burst = 2, .fill = 10'000, .until = 200'000'000};
    with.jobs.push_back(with.jobs[0]);
    const RunResult result = run(with, 2);
    const Latencies found = result.latencies("all");
    EXPECT_GT(found.updates, 10);
    EXPECT_EQ(found.sorted.size(), found.updates);
    // No update takes less than its intervals.
    EXPECT_GT(found.at(0), 50 * 80'000);
    Time sum = 0;
    for (const Time time : result.times) sum += time;
    EXPECT_EQ(sum, 4 * result.elapsed);
  }
}

TEST(SmpStreams, Percentiles) {
  const Latencies five{5, {10, 20, 30, 40, 50}};
  EXPECT_EQ(five.at(0), 10);
  EXPECT_EQ(five.at(0.1), 10);
  EXPECT_EQ(five.at(0.5), 30);
  EXPECT_EQ(five.at(0.9), 50);
  EXPECT_EQ(five.at(1), 50);
  EXPECT_EQ(five.mean(), 30);
}

}  // namespace
}  // namespace muster::smp
