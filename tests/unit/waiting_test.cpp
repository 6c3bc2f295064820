// Waiting alone: budgets against a simulated clock, the sleep word, the choice that `auto` makes.
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <thread>

#include "barriers/registry.h"
#include "waiting/context_switch_cost.h"

namespace muster::test {
namespace {

// A Memory whose time goes on by itself: 10 ns a pause, what `yield_ns` says a yield.
struct SimulatedMemory : NativeMemory {
  static inline std::uint64_t now = 0;
  static inline std::uint64_t yield_ns = 1'000;
  static inline unsigned cpus = 4;
  static void reset() {
    now = 1'000'000'000;
    yield_ns = 1'000;
    cpus = 4;
  }
  static void pause() { now += 10; }
  static std::uint64_t now_ns() { return now; }
  static void yield() { now += yield_ns; }
  static unsigned allowed_cpus() { return cpus; }
};
static_assert(Memory<SimulatedMemory>);

// How long phase one of `policy` lasts when nothing happens.
template <class Policy>
std::uint64_t spun_ns(Policy& policy, bool expect_block = true) {
  WaitStats stats;
  const std::uint64_t start = SimulatedMemory::now;
  const bool done = policy.template spin<SimulatedMemory>(start, [] { return false; }, stats);
  EXPECT_EQ(done, !expect_block);
  return SimulatedMemory::now - start;
}

TEST(FixedTime, SpinsItsBudgetAndBlocks) {
  SimulatedMemory::reset();
  for (const std::uint64_t budget : {1'000U, 2'200U, 50'000U}) {
    FixedTime policy({.budget_ns = budget, .team_size = 2});
    const std::uint64_t spun = spun_ns(policy);
    EXPECT_GE(spun, budget);
    EXPECT_LE(spun, budget + 160);
  }
}

TEST(FixedTime, OfNothingIsBlock) {
  FixedTime policy({.budget_ns = 0, .team_size = 2});
  EXPECT_FALSE(policy.quick_polls());
  EXPECT_FALSE(policy.spins_first());
  EXPECT_EQ(spun_ns(policy), 0U);
}

TEST(Budgets, AreTheFactorsOfThePaper) {
  EXPECT_EQ(spin_budget_ns(WaitKind::kCs, 0, 1'000), 1'000U);
  EXPECT_EQ(spin_budget_ns(WaitKind::kCsPlus, 0, 1'000), 1'200U);
  EXPECT_EQ(spin_budget_ns(WaitKind::kTwoCsPlus, 0, 1'000), 2'200U);
  EXPECT_EQ(spin_budget_ns(WaitKind::kAuto, 0, 1'000), 2'200U);
  EXPECT_EQ(spin_budget_ns(WaitKind::kMicroseconds, 50, 1'000), 50'000U);
}

TEST(Auto, SpinsWhileTheTeamFits) {
  SimulatedMemory::reset();
  AutoWait policy({.budget_ns = 2'200, .team_size = 4});
  const std::uint64_t spun = spun_ns(policy);
  EXPECT_GE(spun, 2'200U);
  EXPECT_LE(spun, 2'400U);
  EXPECT_TRUE(policy.quick_polls());
}

TEST(Auto, YieldsToTeammatesAndBlocksBesideStrangers) {
  SimulatedMemory::reset();
  AutoWait policy({.budget_ns = 2'200, .team_size = 8});
  WaitStats stats;
  int polls = 0;
  EXPECT_TRUE(
      policy.spin<SimulatedMemory>(SimulatedMemory::now, [&] { return ++polls > 20; }, stats));
  EXPECT_EQ(stats.yields.read(), 20U);

  SimulatedMemory::yield_ns = 3'000'000;  // a stranger's slice
  EXPECT_FALSE(policy.spin<SimulatedMemory>(SimulatedMemory::now, [] { return false; }, stats));
  EXPECT_EQ(stats.yields.read(), 21U);
  EXPECT_FALSE(policy.spins_first());
  EXPECT_EQ(spun_ns(policy), 0U) << "blocks at once now";

  SimulatedMemory::now += 1'000'000'000;  // tries again
  SimulatedMemory::yield_ns = 1'000;      // and the stranger has left
  polls = 0;
  EXPECT_TRUE(
      policy.spin<SimulatedMemory>(SimulatedMemory::now, [&] { return ++polls > 20; }, stats));
  EXPECT_EQ(stats.yields.read(), 41U);
}

TEST(Auto, TriesLessAndLessOftenWhileTheStrangerStays) {
  SimulatedMemory::reset();
  SimulatedMemory::yield_ns = 3'000'000;
  AutoWait policy({.budget_ns = 2'200, .team_size = 8});
  WaitStats stats;
  const std::uint64_t start = SimulatedMemory::now;
  while (SimulatedMemory::now - start < 2'000'000'000) {
    policy.spin<SimulatedMemory>(SimulatedMemory::now, [] { return false; }, stats);
    SimulatedMemory::now += 10'000;  // a barrier
  }
  EXPECT_LE(stats.yields.read(), 12U) << "each costs a slice";
  EXPECT_GE(stats.yields.read(), 4U) << "but it must notice when the stranger leaves";
}

TEST(Auto, BlocksBehindLongWork) {
  SimulatedMemory::reset();
  AutoWait policy({.budget_ns = 2'200, .team_size = 8});
  const std::uint64_t spun = spun_ns(policy);
  EXPECT_GE(spun, 1'000'000U);
  EXPECT_LE(spun, 1'010'000U);
}

TEST(Auto, NoticesANarrowedAffinity) {
  SimulatedMemory::reset();
  AutoWait policy({.budget_ns = 2'200, .team_size = 4});
  spun_ns(policy);
  EXPECT_TRUE(policy.quick_polls());
  SimulatedMemory::cpus = 1;
  SimulatedMemory::now += 20'000'000;
  spun_ns(policy);
  EXPECT_FALSE(policy.quick_polls()) << "yields now";
  SimulatedMemory::cpus = 4;
  SimulatedMemory::now += 20'000'000;
  spun_ns(policy);
  EXPECT_TRUE(policy.quick_polls());
}

// With OMP_PROC_BIND each thread's own mask is one CPU, though the team has as many as it needs.
TEST(Auto, BelievesTheRuntimeAboutBoundThreads) {
  SimulatedMemory::reset();
  SimulatedMemory::cpus = 1;
  AutoWait fitting({.budget_ns = 2'200, .team_size = 4, .bound_cpus = 4});
  spun_ns(fitting);
  EXPECT_TRUE(fitting.quick_polls());
  AutoWait crowded({.budget_ns = 2'200, .team_size = 4, .bound_cpus = 2});
  spun_ns(crowded);
  EXPECT_FALSE(crowded.quick_polls());
}

TEST(SleepWord, MakesNoSystemCallWhileNobodySleeps) {
  struct NoCalls : NativeMemory {
    static void wake_all(Atomic<std::uint32_t>&) { ADD_FAILURE() << "a wake call for nobody"; }
  };
  SleepWord<NoCalls> word;
  WaitStats stats;
  for (int i = 0; i < 1000; ++i) word.wake(stats);
  EXPECT_EQ(stats.wake_calls.read(), 0U);
}

// Two threads hand a number back and forth, each asleep until it is its turn: one lost wake-up and
// the test hangs. Signals at some kHz turn sleeps away with EINTR.
TEST(SleepWord, LosesNoWakeUpUnderSignals) {
  struct sigaction ignore{};
  ignore.sa_handler = [](int) {};
  sigaction(SIGUSR1, &ignore, nullptr);

  SleepWord<NativeMemory> words[2];
  std::atomic<unsigned> turn{0};
  constexpr unsigned kTurns = 20'000;
  const auto play = [&](unsigned me) {
    WaitStats stats;
    for (unsigned mine = me; mine < kTurns; mine += 2) {
      words[me].sleep_until([&] { return turn.load(std::memory_order_acquire) == mine; }, stats);
      turn.store(mine + 1, std::memory_order_release);
      words[1 - me].wake(stats);
    }
  };
  std::thread first(play, 0U);
  std::thread second(play, 1U);
  while (turn.load(std::memory_order_relaxed) + 10 < kTurns) {
    pthread_kill(first.native_handle(), SIGUSR1);
    pthread_kill(second.native_handle(), SIGUSR1);
    std::this_thread::sleep_for(std::chrono::microseconds(300));
  }
  first.join();
  second.join();
  EXPECT_EQ(turn.load(), kTurns);
}

TEST(Histogram, BucketsAreContiguous) {
  EXPECT_EQ(wait_bucket(0), 1U);
  for (unsigned bucket = 1; bucket + 1 < kWaitBuckets; ++bucket) {
    EXPECT_EQ(wait_bucket(wait_bucket_below_ns(bucket) - 1), bucket);
    EXPECT_EQ(wait_bucket(wait_bucket_below_ns(bucket)), bucket + 1);
  }
  EXPECT_EQ(wait_bucket(~std::uint64_t{0}), kWaitBuckets - 1);
}

TEST(ContextSwitchCost, IsMeasuredOnceWithinReason) {
  const std::uint64_t cost = context_switch_ns();
  EXPECT_GE(cost, 200U);
  EXPECT_LE(cost, 50'000U);
  EXPECT_EQ(context_switch_ns(), cost);
  EXPECT_EQ(context_switch_ns_if_measured(), cost);
}

}  // namespace
}  // namespace muster::test
