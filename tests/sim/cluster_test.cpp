// The cluster against schedules that were worked out by hand.
#include "sim/cluster/cluster.h"

#include <gtest/gtest.h>

#include <tuple>

#include "tests/sim/small_cluster.h"

namespace muster::cluster::test {
namespace {

using Times = std::vector<double>;

RunPlan spinning(RunPlan run) {
  run.waiting = {.read_spin = kNever, .barrier_spin = kNever, .wake_spin = kNever};
  return run;
}

TEST(Cluster, ReadOfOneThatRunsTakesTwiceTheLatency) {
  const Result result = Cluster(spinning(one_round(32, 200))).run();
  // The switch to the processes, computing, barriers, reads and what is computed between them.
  EXPECT_EQ(result.completion, us(200 + 100 + 2 * 20 + 4 * 20 + 3 * 8));
  EXPECT_EQ(result.reads.done, 4 * 32U);
  EXPECT_EQ(result.reads.waited, 4 * 32 * us(20));
  EXPECT_EQ(result.barriers.waited, 2 * 32 * us(20));
  EXPECT_EQ(result.reads.percent_while_spinning(), 100);
  // A read's request and response; of a barrier one message to the root and one from it.
  EXPECT_EQ(result.messages, 32U * (4 * 2 + 2 * 2));
}

TEST(Cluster, MessageThatTriggersASleepingProcessPaysTheSwitch) {
  // Alone, it sends to itself and sleeps; the request wakes it, and while it spins the response comes.
  const Result result = Cluster(one_round(1, 200)).run();
  const Nanoseconds triggered = us(2 * 10 + 200);
  EXPECT_EQ(result.reads.waited, 4 * triggered);
  EXPECT_EQ(result.barriers.waited, 2 * triggered);
  EXPECT_EQ(result.completion, us(200 + 100 + 3 * 8) + 6 * triggered);
  EXPECT_EQ(result.reads.percent_while_spinning(), 0);
}

TEST(Cluster, SpinOfJustTheTimeThatAReadTakesIsEnough) {
  RunPlan run = one_round(4, 200);
  run.waiting.read_spin = run.waiting.barrier_spin = us(20);
  EXPECT_EQ(Cluster(run).run().switches(), 4U);
  run.waiting.read_spin = us(19.999);
  const Result result = Cluster(run).run();
  EXPECT_LT(result.reads.percent_while_spinning(), 100);
  EXPECT_GT(result.switches(), 4U);
}

// Both sleep at barriers and spin at reads. With r = 520 us, when the first barrier's release arrives:
// rank 0 has spun since it was woken for the arrivals, rank 1 sleeps until r and runs from r + 200.
// Rank 0 reads itself twice, then rank 1, from r + 56: kept until r + 200, answered at r + 210; from
// r + 218 once more, until r + 238, when it sleeps at the barrier. Its own arrival wakes it at r + 248,
// it runs from r + 448 and spins. Rank 1 reads itself until r + 248, rank 0 from r + 256, which is kept
// until r + 448, until r + 458, and from r + 466 until r + 486, when it sleeps. Its arrival is handled
// at r + 496; the release comes at r + 506 and wakes rank 1, which runs from r + 706.
TEST(Cluster, MessagesAreKeptForReadyProcessesAndWakeSleepingOnes) {
  RunPlan run = one_round(2, 200);
  run.waiting.read_spin = kNever;
  const Traced traced = run_traced(run);
  const double r = 520;
  EXPECT_EQ(traced.times("sleep", 0), (Times{300, r + 238}));
  EXPECT_EQ(traced.times("wake", 0), (Times{310, r + 248}));
  EXPECT_EQ(traced.times("run", 0), (Times{200, 510, r + 448}));
  EXPECT_EQ(traced.times("end", 0), (Times{r + 506}));
  EXPECT_EQ(traced.times("sleep", 1), (Times{300, r + 486}));
  EXPECT_EQ(traced.times("wake", 1), (Times{r, r + 506}));
  EXPECT_EQ(traced.times("run", 1), (Times{200, r + 200, r + 706}));
  EXPECT_EQ(traced.result.completion, us(r + 706));
  EXPECT_EQ(traced.result.reads.waited, us(3 * 20 + 154 + 3 * 20 + 202));
  EXPECT_EQ(traced.result.job_completions, std::vector<Nanoseconds>{us(r + 706)});
}

TEST(Cluster, ProcessWokenForAnotherMessageSpinsAndSleepsAgain) {
  RunPlan run = one_round(2, 200);
  run.waiting.read_spin = kNever;
  run.waiting.wake_spin = us(30);
  const Traced traced = run_traced(run);
  // As above until it runs at r + 448; then the next message comes at r + 476, within 30 us, and the next
  // at r + 496, when it sleeps since r + 478.
  const double r = 520;
  EXPECT_EQ(traced.times("sleep", 0), (Times{300, r + 238, r + 478}));
  EXPECT_EQ(traced.times("run", 0), (Times{200, 510, r + 448, r + 696}));
}

TEST(Cluster, ConditionalSpinGoesOnAsLongAsMessagesCameIn) {
  // A read of itself: the request is handled 10 us after it began, the response comes after 20.
  const auto first_sleep = [](double spin, double conditional) {
    RunPlan run = one_round(1, 200);
    run.waiting.barrier_spin = kNever;
    run.waiting.read_spin = us(spin);
    run.waiting.conditional = us(conditional);
    const Times sleeps = run_traced(run).times("sleep", 0);
    const double read_begins = 200 + 100 + 20;
    return sleeps.empty() ? 0 : sleeps.front() - read_begins;
  };
  EXPECT_EQ(first_sleep(15, 0), 15);
  EXPECT_EQ(first_sleep(15, 4), 15);      // the last message was 5 us ago
  EXPECT_EQ(first_sleep(15, 5), 0);       // one more interval, and the response is there
  EXPECT_EQ(first_sleep(11, 3), 11 + 3);  // and the next interval had no message
  EXPECT_EQ(first_sleep(11, 2), 11 + 2);
  EXPECT_EQ(first_sleep(11, 4.5), 15.5);  // 5.5 after the message
  EXPECT_EQ(first_sleep(5, 14), 5);  // the last was the barrier's arrival, 10 us before the read
  EXPECT_EQ(first_sleep(5, 15), 28 + 5);  // in the second read: it began 18 us after the message
}

TEST(Cluster, ExplicitCoschedulingTakesTurns) {
  RunPlan run = one_round(4, 50);
  run.jobs = 3;
  run.dedicated = us(100000);
  run.scheduler.slice = us(10000);
  const Result alone = [&] {
    RunPlan one = explicitly_coscheduled(run);
    one.jobs = 1;
    return Cluster(one).run();
  }();
  const Result result = Cluster(explicitly_coscheduled(run)).run();
  EXPECT_EQ(result.reads.percent_while_spinning(), 100);
  // A switch in each slice, and a read that it interrupts: its request or response was on its way.
  const double slices = static_cast<double>(result.completion) / static_cast<double>(us(10000));
  const double jobs = 3.0 * static_cast<double>(alone.completion - us(50));
  EXPECT_GE(static_cast<double>(result.completion), jobs);
  EXPECT_LE(static_cast<double>(result.completion),
            jobs + (slices + 1) * static_cast<double>(us(70)));
  EXPECT_EQ(result.completion, Cluster(explicitly_coscheduled(run)).run().completion);
}

TEST(Cluster, ExplicitCoschedulingOfAJobLargerThanTheCluster) {
  RunPlan run = one_round(4, 50);
  run.workstations = 2;
  run.jobs = 2;
  run.scheduler.slice = us(1000);
  const Result result = Cluster(explicitly_coscheduled(run)).run();
  EXPECT_EQ(result.reads.done, 2 * 4 * 4U);
  EXPECT_EQ(result.barriers.done, 2 * 4 * 2U);
}

class Barriers : public testing::TestWithParam<std::tuple<Barrier, unsigned>> {};

TEST_P(Barriers, TakeTheirTimeAndNoThreadLeavesEarly) {
  const auto [kind, processes] = GetParam();
  RunPlan run = spinning(one_round(processes, 50));
  run.program.barrier = kind;
  run.dedicated = us(5000);
  const Result result = Cluster(run).run();
  const auto barriers = static_cast<Nanoseconds>(result.barriers.done);
  EXPECT_EQ(barriers % (2 * processes), 0);
  const Nanoseconds rounds = barriers / (2 * processes);
  const Nanoseconds dedicated = rounds * (us(100 + 4 * 20 + 3 * 8) + 2 * barrier_time(run));
  EXPECT_NEAR(static_cast<double>(dedicated), static_cast<double>(us(5000)), 250e3);
  // A tree releases its upper part earlier, but nobody past the next barrier.
  if (kind != Barrier::kTree) {
    EXPECT_EQ(result.barriers.waited, barriers * barrier_time(run));
    EXPECT_EQ(result.completion, dedicated + us(50));
  } else {
    EXPECT_LE(result.completion, dedicated + us(50));
    EXPECT_GE(result.completion, dedicated / 2);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Barriers,
                         testing::Combine(testing::Values(Barrier::kRoot, Barrier::kTree,
                                                          Barrier::kDissemination),
                                          testing::Values(1U, 2U, 3U, 7U, 32U)));

// Whatever is chosen, the processors' time adds up, all work is done, and the same again is the same.
class Conservation
    : public testing::TestWithParam<std::tuple<Style, Policy, Barrier, Nanoseconds, Nanoseconds>> {
};

TEST_P(Conservation, TimeAddsUp) {
  const auto [style, policy, barrier, spin, conditional] = GetParam();
  RunPlan run = one_round(8, 50);
  run.jobs = 3;
  run.dedicated = us(60000);
  run.scheduler = {.policy = policy, .quantum = us(20000), .slice = us(15000)};
  run.program = {.style = style, .compute = us(1000), .between_reads = us(30), .barrier = barrier};
  run.waiting = {spin, spin, conditional, us(50)};
  if (policy == Policy::kExplicit) run = explicitly_coscheduled(run);
  const Result result = Cluster(run).run();
  Nanoseconds computing = 0;
  for (const Account& one : result.workstations) {
    EXPECT_EQ(one.all(), result.completion);
    EXPECT_LE(one.in(Doing::kSwitching),
              static_cast<Nanoseconds>(one.switches) * run.context_switch);
    computing += one.in(Doing::kComputing);
  }
  const ProgramText text(run);
  const Nanoseconds a_round = style == Style::kBulkSynchronous
                                  ? us(1000) + 3 * us(30)
                                  : text.reads_between_barriers() * us(30);
  EXPECT_EQ(computing, static_cast<Nanoseconds>(24 * text.rounds()) * a_round);
  EXPECT_EQ(result.reads.done, 24 * text.rounds() * text.reads_between_barriers());
  const Result again = Cluster(run).run();
  EXPECT_EQ(again.completion, result.completion);
  EXPECT_EQ(again.messages, result.messages);
  EXPECT_EQ(again.switches(), result.switches());
}

INSTANTIATE_TEST_SUITE_P(
    All, Conservation,
    testing::Combine(testing::Values(Style::kBulkSynchronous, Style::kContinuous),
                     testing::Values(Policy::kSolaris, Policy::kRoundRobin, Policy::kExplicit),
                     testing::Values(Barrier::kRoot, Barrier::kDissemination),
                     testing::Values(us(0), us(20), us(70)), testing::Values(us(0), us(150))));

TEST(Cluster, ContinuousProgramsHaveTheirBarriers) {
  RunPlan run = one_round(4, 50);
  run.program = {.style = Style::kContinuous, .compute = us(100000), .between_reads = us(100)};
  EXPECT_EQ(ProgramText(run).reads_between_barriers(), 1000U);
  run.program.elapsed = true;
  EXPECT_EQ(ProgramText(run).reads_between_barriers(), 833U);
  run.dedicated = us(1e6);
  EXPECT_EQ(ProgramText(run).rounds(), 10U);  // of 833 x 120 + 20 us
}

TEST(Cluster, NeighboursAreFour) {
  const RunPlan run = one_round(32, 50);  // a grid of 4 x 8
  EXPECT_EQ(ProgramText(run).neighbours(0), (std::array<unsigned, 4>{24, 8, 7, 1}));
  EXPECT_EQ(ProgramText(run).neighbours(15), (std::array<unsigned, 4>{7, 23, 14, 8}));
  RunPlan ring = run;
  ring.program.neighbours = Neighbours::kRing;
  EXPECT_EQ(ProgramText(ring).neighbours(0), (std::array<unsigned, 4>{31, 1, 30, 2}));
}

TEST(Cluster, SeedsDiffer) {
  RunPlan run = one_round(8, 50);
  run.jobs = 3;
  run.dedicated = us(1e6);
  run.scheduler.clocks_apart = run.scheduler.shuffled = true;
  run.waiting.read_spin = run.waiting.barrier_spin = us(70);
  const Nanoseconds one = Cluster(run).run().completion;
  run.seed = 2;
  EXPECT_NE(Cluster(run).run().completion, one);
}

TEST(Clocks, FirstIsTheEarliestAndOfTwoTheLower) {
  Clocks clocks(5);
  EXPECT_EQ(clocks.next(), kNever);
  clocks.set(3, 10);
  clocks.set(4, 7);
  EXPECT_EQ(clocks.first(), 4U);
  clocks.set(1, 7);
  EXPECT_EQ(clocks.first(), 1U);
  clocks.set(1, 11);
  clocks.set(4, kNever);
  EXPECT_EQ(clocks.first(), 3U);
  EXPECT_EQ(clocks.next(), 10);
}

TEST(Network, GrowsAndKeepsTheOrder) {
  Network network(5);
  for (unsigned round = 0; round < 3; ++round) {
    for (unsigned i = 0; i < 3000; ++i) network.send(i, i, i + 1, MessageKind::kRequest);
    for (unsigned i = 0; i < 3000; ++i) {
      ASSERT_EQ(network.next(), i + 5);
      ASSERT_EQ(network.receive().to, i + 1);
    }
    EXPECT_EQ(network.next(), kNever);
  }
  EXPECT_EQ(network.sent(), 9000U);
}

}  // namespace
}  // namespace muster::cluster::test
