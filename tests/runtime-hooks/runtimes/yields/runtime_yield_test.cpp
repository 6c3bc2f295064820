// How the runtime's yields are handled, on a simulated clock.
#include "runtime-hooks/runtimes/yields/runtime_yield.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "tests/support/simulated_wait.h"

namespace muster::test {
namespace {

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kTurnNs = 100;  // what the runtime does between two of its yields

class RuntimeYields : public testing::Test {
 protected:
  void SetUp() override {
    SimulatedMemory::reset();
    yields_.emplace();
    has_teammate_ = false;
  }

  // The runtime spins on yields for `ns`; the longest time without giving the CPU up.
  template <class Step>
  std::uint64_t spin(std::uint64_t ns, Step&& step) {
    std::uint64_t longest = 0;
    std::uint64_t kept_since = SimulatedMemory::now;
    for (const std::uint64_t end = SimulatedMemory::now + ns; SimulatedMemory::now < end;) {
      const std::uint64_t before = given_up();
      const std::uint64_t kept = SimulatedMemory::now - kept_since;
      step();
      if (given_up() != before) {
        longest = std::max(longest, kept);
        kept_since = SimulatedMemory::now;
      }
      SimulatedMemory::now += kTurnNs;
    }
    return std::max(longest, SimulatedMemory::now - kept_since);
  }

  void adapt(bool others_run = true) {
    const auto ask = [&](std::uint64_t) {
      ++asked_;
      return others_run;
    };
    yields_->adapt<SimulatedMemory>(counts_, ask, [&](unsigned cpu) {
      EXPECT_EQ(cpu, SimulatedMemory::cpu);
      return has_teammate_;
    });
  }
  std::uint64_t adapt_for(std::uint64_t ns, bool others_run = true) {
    return spin(ns, [&] { adapt(others_run); });
  }
  // A competitor takes slices, and the thread has not run for as long since.
  void meet_competitor() {
    SimulatedMemory::yield_ns = 3 * kMs;
    adapt();
    EXPECT_EQ(naps() + skipped(), 0U) << "the first may be a fair share";
    adapt();
    EXPECT_EQ(long_yields(), 2U);
  }

  std::uint64_t given_up() const { return counts_.passed.read() + counts_.naps.read(); }
  std::uint64_t passed() const { return counts_.passed.read(); }
  std::uint64_t skipped() const { return counts_.skipped.read(); }
  std::uint64_t naps() const { return counts_.naps.read(); }
  std::uint64_t long_yields() const { return counts_.long_yields.read(); }

  std::optional<RuntimeYield> yields_;
  bool has_teammate_ = false;
  YieldCounts counts_;
  unsigned asked_ = 0;
};

TEST_F(RuntimeYields, AdaptPassesEverythingAmongTeammates) {
  SimulatedMemory::yield_ns = RuntimeYield::kOthersSliceNs - 10;
  adapt_for(100 * kMs);
  EXPECT_EQ(counts_.seen(), passed());
  EXPECT_EQ(long_yields(), 0U);
}

TEST_F(RuntimeYields, AdaptStopsYieldingAfterACompetitorsSlice) {
  meet_competitor();
  const std::uint64_t longest = adapt_for(RuntimeYield::kFirstPauseNs - kMs / 10);
  EXPECT_EQ(passed(), 2U) << "none within the pause";
  EXPECT_GT(skipped(), 0U);
  EXPECT_GE(naps(), 10U);
  EXPECT_LE(longest, RuntimeYield::kSpinNs + 2 * kTurnNs) << "a teammate gets its turns";
}

TEST_F(RuntimeYields, AdaptTriesLessAndLessOftenWithACompetitor) {
  meet_competitor();
  // Tries at 1, 6, 13, 24, 43, 78 and 121 ms: a slice each, then pauses of 2, 4, 8 ... 40 ms.
  adapt_for(120 * kMs);
  EXPECT_EQ(passed(), 2 + 6U);
  const std::uint64_t before = passed();
  adapt_for(430 * kMs);
  EXPECT_EQ(passed() - before, 10U) << "once in 43 ms, no longer growing";
  EXPECT_EQ(long_yields(), passed());
}

TEST_F(RuntimeYields, AdaptYieldsAgainSoonAfterTheCompetitorLeft) {
  SimulatedMemory::yield_ns = 3 * kMs;
  adapt_for(500 * kMs);
  SimulatedMemory::yield_ns = 1'000;
  const std::uint64_t before = long_yields();
  adapt_for(RuntimeYield::kLongestPauseNs + kMs);
  EXPECT_EQ(long_yields(), before);
  const std::uint64_t skipped_before = skipped();
  const std::uint64_t naps_before = naps();
  adapt_for(10 * kMs);
  EXPECT_EQ(skipped(), skipped_before) << "every call is passed on again";
  EXPECT_EQ(naps(), naps_before);
}

// A short yield in between is chance; a competitor that comes long afterwards is a new one.
TEST_F(RuntimeYields, AdaptRemembersThePauseForAWhile) {
  for (const bool later : {false, true}) {
    SetUp();
    SimulatedMemory::yield_ns = 3 * kMs;
    adapt_for(500 * kMs);
    SimulatedMemory::yield_ns = 1'000;
    for (const std::uint64_t tried = passed(); passed() == tried;) adapt_for(kMs / 10);
    if (later) adapt_for(RuntimeYield::kForgetNs);
    SimulatedMemory::yield_ns = 3 * kMs;
    for (const std::uint64_t naps_before = naps(); naps() == naps_before;) adapt();
    const std::uint64_t before = passed();
    adapt_for(2 * RuntimeYield::kFirstPauseNs - kMs / 10);
    EXPECT_EQ(passed() - before, later ? 1U : 0U);
  }
}

TEST_F(RuntimeYields, AdaptYieldsToTeammatesHoweverLongTheyCompute) {
  SimulatedMemory::yield_ns = 3 * kMs;
  adapt_for(500 * kMs, /*others_run=*/false);
  EXPECT_EQ(naps() + skipped(), 0U);
  EXPECT_GT(passed(), 100U);
  EXPECT_GT(asked_, 0U);
}

TEST_F(RuntimeYields, AdaptNapsWithCompetitorsAndStopsWhenTheyGo) {
  SimulatedMemory::yield_ns = 3 * kMs;
  adapt_for(500 * kMs, /*others_run=*/true);
  EXPECT_GT(naps(), 1000U);
  EXPECT_LT(passed(), 40U);
  SimulatedMemory::yield_ns = 1'000;
  adapt_for(RuntimeYield::kLongestPauseNs + kMs, /*others_run=*/false);
  const std::uint64_t naps_before = naps();
  adapt_for(100 * kMs, /*others_run=*/false);
  EXPECT_EQ(naps(), naps_before);
}

// A worker that computes, waits a little, and computes on: it owes the others what they take.
TEST_F(RuntimeYields, AdaptYieldsToCompetitorsThatTakeTheirShare) {
  const std::uint64_t slice_ns = 3 * kMs;
  for (const unsigned competitors : {1U, 2U}) {
    SetUp();
    SimulatedMemory::yield_ns = competitors * slice_ns;
    for (unsigned i = 0; i < 100; ++i) {
      SimulatedMemory::now += slice_ns;
      adapt();
    }
    EXPECT_EQ(naps() + skipped(), 0U) << competitors;
    EXPECT_EQ(long_yields(), passed());
  }
  SimulatedMemory::now += slice_ns / 4;
  adapt();
  adapt_for(kMs / 2);
  EXPECT_GT(naps(), 0U) << "more than their share";
}

// In another group than the competitor: what teammates ran on this CPU is the process's share, too.
TEST_F(RuntimeYields, AdaptYieldsToTeammatesOnItsCpuBesideACompetitorThatTakesItsShare) {
  const std::uint64_t slice_ns = 3 * kMs;
  SimulatedMemory::yield_ns = 2 * slice_ns;  // one of a teammate, and one of the competitor
  has_teammate_ = true;
  for (unsigned i = 0; i < 100; ++i) {
    SimulatedMemory::teammates_ns += slice_ns;
    adapt();
  }
  EXPECT_EQ(naps() + skipped(), 0U);
  EXPECT_EQ(long_yields(), passed());
  SimulatedMemory::yield_ns = 4 * slice_ns;
  SimulatedMemory::teammates_ns += slice_ns;
  adapt();
  adapt_for(kMs / 2);
  EXPECT_GT(naps(), 0U) << "more than their share";
}

// The same among teammates that compute for less than kOthersSliceNs each.
TEST_F(RuntimeYields, AdaptYieldsAmongTeammatesThatShareTheCpuFairlyWithACompetitor) {
  const std::uint64_t turn_ns = 3 * kMs;
  const auto run_teammates_for = [&](std::uint64_t ns) {
    spin(ns, [&] {
      SimulatedMemory::teammates_ns += SimulatedMemory::yield_ns;
      adapt();
    });
  };
  for (const std::uint64_t teammates_ns : {kMs / 500, RuntimeYield::kOthersSliceNs / 2}) {
    SetUp();
    has_teammate_ = true;
    for (unsigned turn = 0; turn < 100; ++turn) {
      SimulatedMemory::yield_ns = teammates_ns;
      run_teammates_for(turn_ns);
      SimulatedMemory::yield_ns = turn_ns;
      adapt();
    }
    EXPECT_EQ(naps() + skipped(), 0U) << teammates_ns;
  }
  // The competitor takes more than twice their time.
  SimulatedMemory::yield_ns = RuntimeYield::kOthersSliceNs / 2;
  run_teammates_for(turn_ns);
  SimulatedMemory::yield_ns = 3 * turn_ns;
  adapt();
  adapt_for(kMs / 2);
  EXPECT_GT(naps(), 0U);
}

TEST_F(RuntimeYields, AdaptNapsBesideATeammateThatDoesNotRun) {
  has_teammate_ = true;
  meet_competitor();
  adapt_for(kMs / 2);
  EXPECT_GT(naps(), 0U);
}

TEST_F(RuntimeYields, AdaptNapsWhereTeammatesRunOnOtherCpusOnly) {
  SimulatedMemory::yield_ns = 3 * kMs;
  for (unsigned i = 0; i < 2; ++i) {
    SimulatedMemory::teammates_ns += 3 * kMs;
    adapt();
  }
  adapt_for(kMs / 2);
  EXPECT_GT(naps(), 0U);
}

// What teammates ran excuses one long yield, not the next.
TEST_F(RuntimeYields, AdaptCountsTeammatesTimeOnceOnly) {
  has_teammate_ = true;
  SimulatedMemory::yield_ns = 3 * kMs;
  SimulatedMemory::teammates_ns = 100 * kMs;
  adapt();
  EXPECT_EQ(naps() + skipped(), 0U) << "a share";
  adapt();
  adapt_for(kMs / 2);
  EXPECT_GT(naps(), 0U) << "and a second at once";
}

TEST_F(RuntimeYields, AdaptTellsWhereTheThreadWas) {
  EXPECT_FALSE(yields_->was_on(SimulatedMemory::cpu)) << "not before the first call";
  EXPECT_FALSE(yields_->was_on(kNoCpu));
  SimulatedMemory::cpu = 1;
  adapt();
  EXPECT_TRUE(yields_->was_on(1));
  EXPECT_FALSE(yields_->was_on(0));
  SimulatedMemory::yield_ns = 3 * kMs;
  while (naps() == 0) adapt();
  SimulatedMemory::cpu = 2;
  for (const std::uint64_t before = naps(); naps() == before;) adapt();
  EXPECT_TRUE(yields_->was_on(2)) << "after a nap";
  SimulatedMemory::cpu = kNoCpu;
  for (const std::uint64_t before = naps(); naps() == before;) adapt();
  EXPECT_FALSE(yields_->was_on(kNoCpu)) << "unknown";
}

TEST_F(RuntimeYields, AdaptAsksAfterLongYieldsOnly) {
  SimulatedMemory::yield_ns = 1'000;
  adapt_for(100 * kMs);
  EXPECT_EQ(asked_, 0U);
  EXPECT_EQ(naps() + skipped(), 0U);
}

TEST(YieldCounts, AddUpAndClear) {
  YieldCounts counts;
  counts.passed.add(1);
  counts.skipped.add(2);
  counts.naps.add(4);
  counts.long_yields.add(8);
  YieldCounts sum;
  counts.add_to(sum);
  counts.add_to(sum);
  EXPECT_EQ(sum.seen(), 14U);
  EXPECT_EQ(sum.long_yields.read(), 16U);
  sum.clear();
  EXPECT_EQ(sum.seen() + sum.long_yields.read(), 0U);
}

}  // namespace
}  // namespace muster::test
