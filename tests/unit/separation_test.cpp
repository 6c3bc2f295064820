// Keeping a team that fits on separate CPUs: nudges, and staying apart with competitors.
#include "waiting/separation.h"

#include <gtest/gtest.h>

#include "tests/unit/simulated_wait.h"
#include "waiting/competitor_average.h"

namespace muster::test {
namespace {

// A pair on two CPUs; thread 0, on CPU 0, conducts every 5 ms. The test plays the kernel: it sets where the other
// thread is, the number of instances per millisecond, and whether a CPU is idle.
class Parted : public testing::Test {
 protected:
  static constexpr std::uint64_t kMs = 1'000'000;

  Parted() { situation_.cpus = 2; }

  // Plays for `ms` at `rate` instances per millisecond. Returns for how long the team was kept apart.
  unsigned pass(unsigned ms, bool together, unsigned rate, bool idle = false) {
    unsigned apart_ms = 0;
    for (unsigned at = 0; at < ms; at += 5) {
      SimulatedMemory::now += 5 * kMs;
      if (idle) SimulatedMemory::idle_ns += 5 * kMs;
      for (unsigned i = 0; i < 5 * rate; ++i) team_.next_episode();
      situation_.takes_turns = together;
      team_.arrive(1, together ? 0 : 1, team_.episode() - 1);
      const Wait<SimulatedMemory> wait{team_.arrivals(),     0,    team_.episode(),
                                       SimulatedMemory::now, true, team_.stats()};
      separation_.conduct(wait, situation_);
      if (kept_apart()) apart_ms += 5;
    }
    return apart_ms;
  }

  // Plays for `ms` a team that makes `together` or `apart` instances per millisecond.
  unsigned play(unsigned ms, unsigned together, unsigned apart) {
    unsigned apart_ms = 0;
    for (unsigned at = 0; at < ms; at += 5) {
      apart_ms += kept_apart() ? pass(5, false, apart) : pass(5, true, together);
    }
    return apart_ms;
  }

  bool kept_apart() const { return separation_.apart() || separation_.on_separate_cpus(); }

  std::uint64_t nudges() { return team_.stats().nudges.read(); }

  SimulatedTeam team_{2};
  Situation situation_;
  Separation separation_;
};

TEST_F(Parted, ByANudgeWhereACpuIsIdle) {
  pass(40, true, 10, /*idle=*/true);
  EXPECT_EQ(nudges(), 1U);
  EXPECT_EQ(SimulatedMemory::left, 0U);
  EXPECT_FALSE(separation_.apart()) << "there is an idle CPU: no need to spin for long";
}

TEST_F(Parted, AtOnceWhereNobodyElseRuns) {
  situation_.alone = true;
  pass(5, true, 10);
  EXPECT_EQ(nudges(), 1U);
}

// A move would bring it to the teammate's CPU.
TEST_F(Parted, NotFromACpuOfItsOwn) {
  situation_.alone = true;
  pass(5, true, 10);
  pass(500, false, 10);
  EXPECT_EQ(nudges(), 1U);
}

TEST_F(Parted, WithinFiftyMillisecondsWithCompetitors) {
  pass(40, true, 10);
  EXPECT_TRUE(separation_.apart());
  EXPECT_EQ(nudges(), 1U);
}

// Two CPUs, a competitor on one of them. Apart, the competitor gets half of that CPU, less than its fair share.
// Together, it gets the whole CPU.
TEST_F(Parted, LeavesTheCompetitorItsShareWhereThatPays) {
  const unsigned apart_ms = play(10'000, 700, 3'000);
  EXPECT_GE(apart_ms, 5'500U);
  EXPECT_LE(apart_ms, 6'700U);
}

TEST_F(Parted, LessAndLessOftenWhereThatDoesNotPay) {
  const unsigned apart_ms = play(20'000, 90, 80);
  EXPECT_GE(nudges(), 4U);
  EXPECT_LE(nudges(), 8U);
  EXPECT_LE(apart_ms, 300U);
}

TEST_F(Parted, NoLongerWhereTheProgramTurnsToCoarseWork) {
  play(1'000, 700, 3'000);
  EXPECT_LE(play(5'000, 90, 80), 200U);
}

TEST_F(Parted, NoLongerWhereTheCompetitorsHaveGone) {
  for (int ms = 0; ms < 200 && !separation_.apart(); ms += 5) play(5, 700, 3'000);
  ASSERT_TRUE(separation_.apart());
  pass(60, false, 3'000, /*idle=*/true);
  EXPECT_FALSE(separation_.apart());
}

// The competitor leaves while the team is held together for it: the team must not be held any longer.
TEST_F(Parted, NotHeldTogetherWhereTheCompetitorsHaveGone) {
  for (int ms = 0; ms < 500 && separation_.together_on() == kNoCpu; ms += 5) play(5, 700, 3'000);
  ASSERT_NE(separation_.together_on(), kNoCpu);
  situation_.alone = true;
  pass(5, true, 700);
  EXPECT_NE(separation_.together_on(), kNoCpu) << "it may have been missed";
  pass(30, true, 700, /*idle=*/true);
  EXPECT_EQ(separation_.together_on(), kNoCpu);
}

// No process gets less than its fair share, so it lasts.
TEST_F(Parted, OnOwnCpusWhereThereIsACompetitorForEach) {
  situation_.crowded = true;
  const unsigned apart_ms = play(10'000, 700, 3'000);
  EXPECT_GE(apart_ms, 9'000U);
  EXPECT_LE(apart_ms, 9'900U) << "now and then being together is tried again";
  EXPECT_FALSE(separation_.apart()) << "threads need not spin on";
  EXPECT_EQ(nudges(), 0U);
}

TEST_F(Parted, OnOwnCpusOnlyWhereThatPays) {
  situation_.crowded = true;
  EXPECT_LE(play(20'000, 90, 80), 300U);
}

TEST_F(Parted, OnOwnCpusOnlyAsLongAsCompetitorsWantThemAll) {
  situation_.crowded = true;
  play(200, 700, 3'000);
  ASSERT_TRUE(separation_.on_separate_cpus());
  situation_.crowded = false;
  pass(5, false, 3'000);
  EXPECT_FALSE(separation_.on_separate_cpus());
}

TEST(CompetitorAverage, IsAnAverage) {
  CompetitorAverage average;
  EXPECT_FALSE(average.fills(1)) << "no sample yet";
  for (int look = 0; look < 100; ++look) average.see(1);
  EXPECT_TRUE(average.fills(1));
  EXPECT_FALSE(average.fills(2)) << "one CPU hog";
  for (int look = 0; look < 50; ++look) {
    average.see(2);
    average.see(1);
  }
  EXPECT_TRUE(average.fills(2)) << "a second copy, of which one thread sleeps half of the time";
  EXPECT_FALSE(average.fills(3));
  average.see(0);
  EXPECT_TRUE(average.fills(2)) << "one sample has little weight";
}

}  // namespace
}  // namespace muster::test
