// What `auto` decides, under synthetic loads on a simulated clock.
#include "waiting/auto_wait.h"

#include <gtest/gtest.h>

#include "tests/support/simulated_wait.h"
#include "waiting/yield.h"

namespace muster::test {
namespace {

// Thread 0 on CPU 0 waits; the others were last seen on `cpu` and have not arrived.
void everyone_absent_on(SimulatedTeam& team, unsigned cpu) {
  for (unsigned i = 1; i < team.arrivals().team(); ++i) team.arrive(i, cpu, team.episode() - 1);
}

// Passes instances until an agreed change has taken effect.
template <class Policy>
void pass_instances(SimulatedTeam& team, Policy& policy, unsigned count, unsigned cpu) {
  for (unsigned i = 0; i < count; ++i) {
    everyone_absent_on(team, cpu);
    bool released = false;
    int polls = 0;
    team.wait(policy, [&] { return ++polls > 2; }, released);
    team.next_episode();
  }
  everyone_absent_on(team, cpu);
}

TEST(Auto, SpinsWhileNoThreadIsDelayed) {
  SimulatedTeam team(4);
  AutoWait policy({.team_size = 4});
  everyone_absent_on(team, 1);
  const std::uint64_t spun = team.wait_in_vain(policy);
  EXPECT_GE(spun, 1'000'000U);
  EXPECT_LE(spun, 1'060'000U) << "but not without a limit";
  EXPECT_LE(team.stats().yields.read(), 50U) << "it looks for hidden teammates now and then";
  EXPECT_TRUE(policy.quick_polls());
}

TEST(Auto, YieldsToATeammateOnItsOwnCpu) {
  SimulatedTeam team(8);
  AutoWait policy({.team_size = 8});
  everyone_absent_on(team, 0);
  bool released = false;
  int polls = 0;
  team.wait(policy, [&] { return ++polls > 20; }, released);
  EXPECT_TRUE(released);
  EXPECT_EQ(team.stats().yields.read(), 20U);
  EXPECT_EQ(team.stats().long_yields.read(), 0U);
  EXPECT_FALSE(policy.quick_polls()) << "8 threads on 4 CPUs";
}

// At a release, threads that have not reached the gather before it are two instances behind.
TEST(Auto, YieldsToATeammateThatIsBehindTheGather) {
  SimulatedTeam team(4);
  AutoWait policy({.team_size = 4});
  team.next_episode();
  for (unsigned i = 1; i < 4; ++i) team.arrive(i, 0, team.episode() - 2);
  bool released = false;
  int polls = 0;
  team.wait(policy, [&] { return ++polls > 20; }, released);
  EXPECT_EQ(team.stats().yields.read(), 20U);
  for (unsigned i = 1; i < 4; ++i) {
    team.arrive(i, 0, team.episode());
    EXPECT_EQ(team.arrivals().absent_on(0, 0, team.episode()), i < 3 ? i + 1 : kNobody);
  }
}

// A yield postpones by a slice: a thread with a short one would run ten times before its teammates.
TEST(Auto, DoesNotYieldWithAShortSlice) {
  SimulatedTeam team(8);
  AutoWait policy({.team_size = 8, .settings = {.slice_ns = 100'000, .place = false}});
  SimulatedMemory::yield_ns = 3'000'000;  // a competitor
  everyone_absent_on(team, 0);
  team.wait_in_vain(policy);
  SimulatedMemory::yield_ns = 1'000;
  team.wait_in_vain(policy);
  EXPECT_EQ(SimulatedMemory::slice_ns, 100'000U);
  SimulatedMemory::now += 50'000'000;  // the competitor has gone
  const std::uint64_t before = team.stats().yields.read();
  bool released = false;
  int polls = 0;
  team.wait(policy, [&] { return ++polls > 3; }, released);
  EXPECT_GT(team.stats().yields.read(), before);
  EXPECT_EQ(SimulatedMemory::slice_ns, 0U);
}

TEST(Yield, LooksQuicklyOnlyWhereTheTeamFits) {
  for (const unsigned size : {4U, 5U}) {
    SimulatedTeam team(size);  // on 4 CPUs
    Yield policy({.team_size = size});
    bool released = false;
    int polls = 0;
    team.wait(policy, [&] { return ++polls > 3; }, released);
    EXPECT_EQ(policy.quick_polls(), size == 4);
  }
}

TEST(Auto, StopsYieldingWhenTheTeammateHasArrived) {
  SimulatedTeam team(2);
  AutoWait policy({.team_size = 2});
  everyone_absent_on(team, 0);
  bool released = false;
  const std::uint64_t start = SimulatedMemory::now;
  team.wait(
      policy,
      [&] {
        if (team.stats().yields.read() == 3) team.arrive(1, 0, team.episode());
        return SimulatedMemory::now >= start + 15'000;
      },
      released);
  EXPECT_EQ(team.stats().yields.read(), 3U);
}

TEST(Auto, BlocksAtOnceForATeammateWithACompetitor) {
  SimulatedTeam team(8);
  AutoWait policy({.team_size = 8});
  SimulatedMemory::yield_ns = 3'000'000;  // a competitor's slice
  everyone_absent_on(team, 0);
  EXPECT_EQ(team.wait_in_vain(policy), 3'000'000U + 1U);
  EXPECT_EQ(team.stats().long_yields.read(), 1U);
  team.next_episode();
  pass_instances(team, policy, 4, 0);
  EXPECT_EQ(team.stats().yields.read(), 1U) << "yields no more";

  const std::uint64_t start = SimulatedMemory::now;
  team.wait_in_vain(policy);
  EXPECT_LT(SimulatedMemory::now - start, tuning::kSpinWithCompetitorNs) << "blocks at once";
}

// Its teammates are on other CPUs, perhaps preempted there: the time of a spin follows how the last ones ended.
TEST(Auto, SpinsShorterBesideCompetitorsThatKeepTeammatesFromRunning) {
  SimulatedTeam team(4);
  AutoWait policy({.team_size = 4});
  everyone_absent_on(team, 0);
  SimulatedMemory::yield_ns = 3'000'000;  // a competitor's slice
  team.wait_in_vain(policy);
  everyone_absent_on(team, 1);
  team.next_episode();
  everyone_absent_on(team, 1);
  const std::uint64_t first = team.wait_in_vain(policy);
  EXPECT_GE(first, tuning::kSpinWithCompetitorNs);
  std::uint64_t last = 0;
  for (unsigned wait = 0; wait < 10; ++wait) last = team.wait_in_vain(policy);
  EXPECT_LT(last, 4 * tuning::kLeastSpinNs);
  for (unsigned wait = 0; wait < 10; ++wait) {
    bool released = false;
    team.wait(policy, [] { return true; }, released);
    EXPECT_TRUE(released);
  }
  const std::uint64_t after = team.wait_in_vain(policy);
  EXPECT_GE(after, tuning::kSpinWithCompetitorNs) << "they run again";
}

// A teammate that is not waiting may poll for messages, and on one CPU it would get all the time that yields give away.
TEST(Auto, YieldsOnOneCpuOnlyWithAShortSlice) {
  for (const unsigned cpus : {1U, 2U}) {
    for (const std::uint64_t slice_ns : {0U, 100'000U}) {
      SimulatedTeam team(3);
      SimulatedMemory::cpus = cpus;
      AutoWait policy({.team_size = 3, .settings = {.slice_ns = slice_ns, .place = false}});
      everyone_absent_on(team, 0);
      team.wait_in_vain(policy);
      EXPECT_EQ(team.stats().yields.read() == 0, cpus == 1 && slice_ns == 0) << cpus << " CPUs";
      EXPECT_EQ(SimulatedMemory::slice_ns, cpus == 1 ? slice_ns : 0U) << cpus << " CPUs";
    }
  }
}

// A thread that the runtime has bound sees one CPU, however many the team has.
TEST(Auto, YieldsInABoundTeam) {
  SimulatedTeam team(3);
  SimulatedMemory::cpus = 1;
  AutoWait policy({.team_size = 3, .bound_cpus = 2});
  everyone_absent_on(team, 0);
  team.wait_in_vain(policy);
  EXPECT_GT(team.stats().yields.read(), 0U);
}

// A program may bind each thread to a CPU, as GROMACS does: each thread's mask has one CPU, the team more.
TEST(Auto, SpinsInATeamThatTheProgramHasBound) {
  SimulatedTeam team(3);
  SimulatedMemory::cpus = 1;
  AutoWait policy({.team_size = 3});
  for (int look = 0; look < 3; ++look) {
    for (unsigned i = 0; i < 3; ++i) team.arrive(i, i, team.episode() - 1);
    EXPECT_GE(team.wait_in_vain(policy), 1'000'000U) << look;
    EXPECT_TRUE(policy.quick_polls()) << look;
    team.next_episode();
    SimulatedMemory::now += 2 * tuning::kLookEveryNs;
  }
}

TEST(Auto, YieldsInATeamThatTheProgramHasBoundToFewerCpus) {
  SimulatedTeam team(4);
  SimulatedMemory::cpus = 1;
  AutoWait policy({.team_size = 4});
  for (unsigned i = 0; i < 4; ++i) team.arrive(i, i % 2, team.episode() - 1);
  team.wait_in_vain(policy);
  EXPECT_GT(team.stats().yields.read(), 0U);
  EXPECT_FALSE(policy.quick_polls());
}

// Required: back within 50 ms after the load has gone, and no attempt while it stays.
TEST(Auto, YieldsAgainSoonAfterTheCompetitorLeft) {
  SimulatedTeam team(8);
  AutoWait policy({.team_size = 8});
  SimulatedMemory::yield_ns = 3'000'000;
  everyone_absent_on(team, 0);
  team.wait_in_vain(policy);
  const std::uint64_t left = SimulatedMemory::now;
  SimulatedMemory::yield_ns = 1'000;
  while (team.stats().yields.read() == 1 && SimulatedMemory::now < left + 1'000'000'000) {
    pass_instances(team, policy, 1, 0);
    SimulatedMemory::now += 10'000;
  }
  EXPECT_GE(SimulatedMemory::now - left, tuning::kSightingNs);
  EXPECT_LE(SimulatedMemory::now - left, 50'000'000U);
}

// Repeated observations count for longer, but never for so long that the 50 ms would be missed.
TEST(Competitors, ACompetitorThatComesBackIsExpectedToStay) {
  Competitors competitors;
  EXPECT_FALSE(competitors.near(1));
  std::uint64_t now = 1'000'000'000;
  std::uint64_t longest = 0;
  for (int sighting = 0; sighting < 10; ++sighting) {
    competitors.see(now);
    const std::uint64_t seen = now;
    while (competitors.near(now)) now += 100'000;
    EXPECT_GE(now - seen, longest);
    longest = now - seen;
  }
  EXPECT_GT(longest, 4 * tuning::kSightingNs);
  EXPECT_LT(longest, 50'000'000U);
  now += 1'000'000'000;  // gone for long: the next observation is a first one again
  competitors.see(now);
  EXPECT_TRUE(competitors.near(now + tuning::kSightingNs - 1));
  EXPECT_FALSE(competitors.near(now + tuning::kSightingNs));
}

// The kernel moved an absent teammate here after it was seen elsewhere: a thread that spins must not keep it from
// running until the end of the spin.
TEST(Auto, LooksForAHiddenTeammate) {
  SimulatedTeam team(8);
  AutoWait policy({.team_size = 8});
  everyone_absent_on(team, 1);
  team.wait_in_vain(policy);
  EXPECT_GE(team.stats().yields.read(), 100U) << "in 1 ms";
  SimulatedTeam two(2);
  AutoWait fitting({.team_size = 2});
  everyone_absent_on(two, 1);
  two.wait_in_vain(fitting);
  EXPECT_GE(two.stats().yields.read(), 40U) << "both may have been on one CPU from the start";
  EXPECT_LE(two.stats().yields.read(), 50U) << "but that is rare";
}

// A pair that fits but shares a CPU: the gap that one thread causes shows this to the other.
TEST(Auto, APairOnOneCpuTakesTurns) {
  SimulatedTeam team(2);
  AutoWait policy({.team_size = 2});
  EXPECT_FALSE(policy.records_arrivals());
  bool released = false;
  int polls = 0;
  team.wait(
      policy,
      [&] {
        if (++polls == 5) SimulatedMemory::now += 3'000'000;  // off the CPU in between
        return polls > 100;
      },
      released);
  EXPECT_TRUE(policy.records_arrivals());
  SimulatedMemory::now += 2 * tuning::kSightingNs;
  team.next_episode();
  everyone_absent_on(team, 0);
  polls = 0;
  team.wait(policy, [&] { return ++polls > 20; }, released);
  EXPECT_GE(team.stats().yields.read(), 15U);
  EXPECT_FALSE(policy.quick_polls()) << "they would keep the teammate from running";
}

// They share a CPU, and none was seen: a teammate that runs in a yield does so until it yields itself.
TEST(Auto, AYieldThatTakesLongShowsAHiddenTeammate) {
  SimulatedTeam team(4);
  AutoWait policy({.team_size = 4});
  SimulatedMemory::yield_ns = tuning::kYieldEveryNs / 2;  // the kernel had something to do
  team.wait_in_vain(policy);
  EXPECT_FALSE(policy.records_arrivals());
  SimulatedMemory::yield_ns = tuning::kYieldEveryNs;
  const std::uint64_t before = team.stats().yields.read();
  bool released = false;
  team.wait(policy, [&] { return team.stats().yields.read() > before; }, released);
  EXPECT_TRUE(policy.records_arrivals());
}

TEST(Auto, AsksForAShortSliceWithCompetitorsAndGivesItBack) {
  SimulatedTeam team(8);
  AutoWait policy({.team_size = 8, .settings = {.slice_ns = 100'000, .place = false}});
  everyone_absent_on(team, 0);
  team.wait_in_vain(policy);
  EXPECT_EQ(SimulatedMemory::slice_ns, 0U) << "no competitor";
  SimulatedMemory::yield_ns = 3'000'000;
  team.wait_in_vain(policy);
  SimulatedMemory::yield_ns = 1'000;
  team.wait_in_vain(policy);
  EXPECT_EQ(SimulatedMemory::slice_ns, 100'000U);
  EXPECT_EQ(team.stats().short_slices.read(), 1U);
  SimulatedMemory::now += 300'000'000;
  team.wait_in_vain(policy);
  EXPECT_EQ(SimulatedMemory::slice_ns, 0U);
  AutoWait off({.team_size = 8, .settings = {.slice_ns = 0, .place = false}});
  SimulatedMemory::yield_ns = 3'000'000;
  for (int i = 0; i < 3; ++i) team.wait_in_vain(off);
  EXPECT_EQ(SimulatedMemory::slice_ns, 0U);
}

// Without a load sensor, only a yield shows whether the competitor is still there. Each costs one of its slices.
TEST(Auto, YieldsRarelyWhileTheCompetitorStays) {
  SimulatedTeam team(8);
  AutoWait policy({.team_size = 8});
  SimulatedMemory::yield_ns = 3'000'000;
  everyone_absent_on(team, 0);
  const std::uint64_t start = SimulatedMemory::now;
  while (SimulatedMemory::now < start + 2'000'000'000) {
    team.wait_in_vain(policy);
    team.next_episode();
    everyone_absent_on(team, 0);
    SimulatedMemory::now += 100'000;  // asleep
  }
  EXPECT_LE(team.stats().yields.read(), 2'000 / 32 + 4);
}

TEST(Auto, NoticesANarrowedAffinity) {
  SimulatedTeam team(4);
  AutoWait policy({.team_size = 4});
  everyone_absent_on(team, 1);
  team.wait_in_vain(policy);
  EXPECT_TRUE(policy.quick_polls());
  SimulatedMemory::cpus = 1;
  SimulatedMemory::now += 20'000'000;
  team.wait_in_vain(policy);
  EXPECT_FALSE(policy.quick_polls());
  SimulatedMemory::cpus = 4;
  SimulatedMemory::now += 20'000'000;
  team.wait_in_vain(policy);
  EXPECT_TRUE(policy.quick_polls());
}

// With OMP_PROC_BIND each thread's own mask has one CPU, although the team has enough CPUs.
TEST(Auto, BelievesTheRuntimeAboutBoundThreads) {
  SimulatedTeam team(4);
  SimulatedMemory::cpus = 1;
  AutoWait fitting({.team_size = 4, .bound_cpus = 4});
  team.wait_in_vain(fitting);
  EXPECT_TRUE(fitting.quick_polls());
  AutoWait crowded({.team_size = 4, .bound_cpus = 2});
  team.wait_in_vain(crowded);
  EXPECT_FALSE(crowded.quick_polls());
}

// Competitors are noticed by missing time. The barrier of a pair does not change because of them.
TEST(Auto, ATeamAgreesThatItIsContended) {
  for (const unsigned size : {4U, 2U}) {
    SimulatedTeam team(size);
    AutoWait policy({.team_size = size});
    bool released = false;
    const auto pass = [&](unsigned instances, std::uint64_t missing_ns) {
      for (unsigned i = 0; i < instances; ++i) {
        everyone_absent_on(team, 1);
        const auto done = [&, polls = 0]() mutable {
          if (++polls == 2) SimulatedMemory::now += missing_ns;
          return polls > 40;
        };
        team.wait(policy, done, released);
        SimulatedMemory::now += 1'000'000;
        team.next_episode();
      }
    };
    pass(8, 0);
    const auto agreed = [&] { return team.arrivals().agreed().at(team.episode() + 3); };
    EXPECT_EQ(agreed(), 0U) << size;
    pass(8, 3'000'000);
    EXPECT_EQ(agreed(), size > 2 ? kContended | kFullFences : 0U) << size;
    pass(200, 0);
    EXPECT_EQ(agreed(), 0U) << "no contention, " << size;
  }
}

}  // namespace
}  // namespace muster::test
