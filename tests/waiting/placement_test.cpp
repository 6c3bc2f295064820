// Where `auto` moves the threads of a team, on a simulated clock: on one CPU, on CPUs of their own, or nowhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/support/recorded_tree.h"
#include "tests/support/simulated_wait.h"
#include "waiting/auto_wait.h"

namespace muster::test {
namespace {

// A team of eight on two CPUs with a competitor, on the simulated clock. Only thread 0 is real, so it conducts.
class Gathered : public testing::Test {
 protected:
  static constexpr std::uint64_t kMs = 1'000'000;

  Gathered() { SimulatedMemory::cpus = 2; }

  // Waits of 0.1 ms, for `ms`. `took_ns` is what each yield takes: a slice with a competitor.
  void wait_for(unsigned ms, std::uint64_t took_ns, unsigned instances_per_wait = 1) {
    wait_by(policy_, ms, took_ns, instances_per_wait);
  }
  void wait_by(AutoWait& policy, unsigned ms, std::uint64_t took_ns, unsigned instances_per_wait) {
    SimulatedMemory::yield_ns = took_ns;
    const std::uint64_t end = SimulatedMemory::now + ms * kMs;
    while (SimulatedMemory::now < end) {
      everyone_else_is_absent();
      bool released = false;
      const std::uint64_t start = SimulatedMemory::now;
      team_.wait(policy, [&] { return SimulatedMemory::now >= start + 100'000; }, released);
      if (!released) SimulatedMemory::now += 100'000;  // asleep
      for (unsigned i = 0; i < instances_per_wait; ++i) team_.next_episode();
    }
  }
  // For `length_ns`, instances of that length.
  void pass(AutoWait& policy, std::uint64_t length_ns, std::uint64_t instance_ns) {
    SimulatedMemory::yield_ns = 2'000;
    const std::uint64_t end = SimulatedMemory::now + length_ns;
    while (SimulatedMemory::now < end) {
      everyone_else_is_absent();
      const std::uint64_t start = SimulatedMemory::now;
      bool released = false;
      team_.wait(policy, [&] { return SimulatedMemory::now >= start + instance_ns; }, released);
      SimulatedMemory::now = std::max(SimulatedMemory::now, start + instance_ns);  // asleep
      team_.next_episode();
    }
  }
  // They were last seen on the CPU of thread 0.
  void everyone_else_is_absent() {
    for (unsigned i = 1; i < 8; ++i) team_.arrive(i, 0, team_.episode() - 1);
  }
  std::uint64_t gatherings() { return team_.stats().gatherings.read(); }

  SimulatedTeam team_{8};
  AutoWait policy_{{.team_size = 8, .settings = {.slice_ns = 0, .place = true}}};
};

TEST_F(Gathered, WithACompetitor) {
  wait_for(100, 3 * kMs);
  EXPECT_EQ(gatherings(), 1U);
  EXPECT_NE(SimulatedMemory::placed, kNoCpu);
}

TEST_F(Gathered, LooksAgainAfterTheClockWentBack) {
  SimulatedMemory::now += 7'200'000 * kMs;
  wait_for(20, 2'000);
  SimulatedMemory::now -= 3'600'000 * kMs;
  wait_for(100, 3 * kMs);
  EXPECT_EQ(gatherings(), 1U);
}

TEST_F(Gathered, CoarseWorkWithACompetitor) {
  SimulatedMemory::yield_ns = 3 * kMs;
  for (unsigned instance = 0; instance < 50; ++instance) {  // of 3 ms each
    everyone_else_is_absent();
    const std::uint64_t start = SimulatedMemory::now;
    bool released = false;
    team_.wait(policy_, [&] { return SimulatedMemory::now >= start + 3 * kMs; }, released);
    SimulatedMemory::now = start + 3 * kMs;
    team_.next_episode();
  }
  EXPECT_EQ(gatherings(), 1U);
}

TEST_F(Gathered, NotAmongTeammates) {
  wait_for(2000, 2'000);
  EXPECT_EQ(gatherings(), 0U);
  EXPECT_EQ(SimulatedMemory::placed, kNoCpu);
}

TEST_F(Gathered, SpreadsWithin50MsWhenACpuBecomesIdle) {
  wait_for(100, 3 * kMs);
  ASSERT_NE(SimulatedMemory::placed, kNoCpu);
  wait_for(300, 2'000, 100);  // the competitor was moved away
  ASSERT_NE(SimulatedMemory::placed, kNoCpu);
  const std::uint64_t gone = SimulatedMemory::now;
  while (SimulatedMemory::placed != kNoCpu && SimulatedMemory::now < gone + 1000 * kMs) {
    const std::uint64_t before = SimulatedMemory::now;
    wait_for(1, 2'000, 100);
    SimulatedMemory::idle_ns += SimulatedMemory::now - before;  // the other CPU
  }
  EXPECT_LE(SimulatedMemory::now - gone, 65 * kMs);  // 50 ms, and the step of the look
}

TEST_F(Gathered, StaysWhileItPays) {
  wait_for(100, 3 * kMs);
  wait_for(10'000, 2'000, 100);
  EXPECT_EQ(gatherings(), 1U);
  EXPECT_NE(SimulatedMemory::placed, kNoCpu);
}

TEST_F(Gathered, IsTriedLessAndLessOftenWhereItDoesNotPay) {
  wait_for(100, 3 * kMs, 1000);  // many instances while spread
  wait_for(20'000, 3 * kMs, 1);  // few once gathered
  EXPECT_GE(gatherings(), 1U);
  EXPECT_LE(gatherings(), 8U);
}

// A load sensor on a tree of the test's own.
class LoadTree : public RecordedTree {
 public:
  LoadTree() : RecordedTree("v2-one-cpu", [] { return SimulatedMemory::cpus; }) {
    remove("proc/pressure");
    quota("max");
    throttled(0);
    runnable(1);
  }

  void quota(const std::string& value) {
    write("sys/fs/cgroup/work.slice/job.scope/cpu.max", value + " 100000\n");
  }
  void throttled(int periods) {
    write("sys/fs/cgroup/work.slice/job.scope/cpu.stat",
          "nr_periods 9\nnr_throttled " + std::to_string(periods) + "\nthrottled_usec " +
              std::to_string(periods) + "000\n");
  }
  void runnable(int threads) {
    write("proc/loadavg", "0.1 0.1 0.1 " + std::to_string(threads) + "/99 999\n");
  }
};

AutoWait placed(unsigned team_size, const LoadTree& load) {
  return AutoWait({.team_size = team_size,
                   .settings = {.slice_ns = 0, .place = true},
                   .load_sensor = load.sensor.get()});
}

TEST_F(Gathered, NotOnManyCpus) {
  LoadTree load;
  load.runnable(9);
  SimulatedMemory::cpus = 6;
  AutoWait policy = placed(8, load);
  wait_by(policy, 2000, 3 * kMs, 1);
  EXPECT_EQ(gatherings(), 0U);
  SimulatedMemory::cpus = 4;
  wait_by(policy, 200, 3 * kMs, 1);
  EXPECT_EQ(gatherings(), 1U);
}

// Missing time alone may be a daemon's, where the load sensor counts nobody.
TEST_F(Gathered, NotByMissingTimeWhereNoCompetitorIsCounted) {
  for (const int runnable : {1, 3}) {
    LoadTree load;
    load.runnable(runnable);
    AutoWait policy = placed(8, load);
    const std::uint64_t before = gatherings();
    wait_by(policy, 200, 3 * kMs, 1);
    EXPECT_EQ(gatherings() != before, runnable != 1);
  }
}

TEST_F(Gathered, UnderAQuotaOfOneCpuWithoutATrial) {
  LoadTree load;
  load.quota("100000");
  AutoWait policy = placed(8, load);
  wait_by(policy, 30, 2'000, 1);
  EXPECT_EQ(gatherings(), 1U);
  EXPECT_NE(SimulatedMemory::placed, kNoCpu);
  const std::uint64_t yields = team_.stats().yields.read();
  wait_by(policy, 1, 2'000, 1);
  EXPECT_GT(team_.stats().yields.read(), yields) << "it waits as usual";
  SimulatedMemory::idle_ns += 10'000 * kMs;  // the other CPU is idle, as it must be
  wait_by(policy, 500, 2'000, 1);
  EXPECT_EQ(gatherings(), 1U) << "it stays gathered";
  load.quota("200000");
  wait_by(policy, 2000, 2'000, 1);
  EXPECT_EQ(SimulatedMemory::placed, kNoCpu);
}

TEST_F(Gathered, NotByAQuotaThatLeavesTwoCpus) {
  LoadTree load;
  load.quota("150000");
  AutoWait policy = placed(8, load);
  wait_by(policy, 500, 2'000, 1);
  EXPECT_EQ(gatherings(), 0U);
}

TEST_F(Gathered, TimeTakenByTheQuotaIsNoCompetitors) {
  LoadTree load;
  load.quota("150000");
  AutoWait policy = placed(8, load);
  wait_by(policy, 50, 2'000, 1);
  SimulatedMemory::now += 20 * kMs;
  load.sensor->look(SimulatedMemory::now);
  load.throttled(1);  // counted at the end of the period
  everyone_else_is_absent();
  SimulatedMemory::yield_ns = 30 * kMs;  // off the CPU until the next period
  team_.wait_in_vain(policy);
  EXPECT_EQ(team_.stats().long_yields.read(), 0U);
  SimulatedMemory::now += 20 * kMs;
  team_.wait_in_vain(policy);
  EXPECT_EQ(team_.stats().long_yields.read(), 1U) << "not throttled again: it was a competitor";
}

// A quota stops all threads of a team at once, and each of them has a gap.
TEST(Auto, TimeTakenByTheQuotaIsNoCompetitorsForAnyThread) {
  LoadTree load;
  load.quota("150000");
  Contention contention({.team_size = 2, .load_sensor = load.sensor.get()});
  constexpr std::uint64_t kBegin = 1'000 * tuning::kMs;
  load.sensor->look(kBegin);
  load.throttled(1);
  constexpr std::uint64_t kEnd = kBegin + 40 * tuning::kMs;
  EXPECT_FALSE(contention.note_gap(kBegin + 10 * tuning::kMs, kEnd));
  EXPECT_FALSE(contention.note_gap(kBegin + 12 * tuning::kMs, kEnd + tuning::kMs / 10));
  EXPECT_TRUE(contention.note_gap(kEnd + tuning::kMs, kEnd + 4 * tuning::kMs)) << "a later one";
}

// A thread that yields and meets a competitor loses a slice; a sleep costs little beside coarse work. On a team's only
// CPU every yield meets it.
TEST_F(Gathered, ATeamLeftToTheKernelSleepsBesideCompetitorsIfItIsCoarseOrHasOneCpu) {
  for (const unsigned cpus : {1U, 2U})
    for (const std::uint64_t instance_ns : {20'000U, 500'000U})
      for (const int runnable : {1, 10}) {
        LoadTree load;
        load.runnable(runnable);
        SimulatedMemory::cpus = cpus;
        AutoWait policy({.team_size = 8,
                         .settings = {.slice_ns = 100'000, .place = false},
                         .load_sensor = load.sensor.get()});
        pass(policy, 200 * kMs, instance_ns);
        const std::uint64_t before = team_.stats().yields.read();
        pass(policy, 100 * kMs, instance_ns);
        const bool yields = team_.stats().yields.read() != before;
        EXPECT_EQ(yields, runnable == 1 || (cpus == 2 && instance_ns == 20'000))
            << cpus << " " << runnable << " " << instance_ns;
      }
}

// A pair on one CPU, with a competitor for each CPU.
class Crowded : public testing::Test {
 protected:
  Crowded() : team_(2) {
    SimulatedMemory::cpus = 2;
    SimulatedMemory::cpu = 1;
    load_.runnable(5);
  }

  AutoWait policy() const { return placed(2, load_); }

  // For 0.3 s, instances of that length, until the thread has been moved or has not. True if so.
  bool pass(AutoWait& policy, std::uint64_t instance_ns, bool until_placed) {
    const std::uint64_t end = SimulatedMemory::now + 300 * tuning::kMs;
    while (SimulatedMemory::now < end) {
      team_.arrive(1, 1, team_.episode() - 1);
      const std::uint64_t start = SimulatedMemory::now;
      bool released = false;
      team_.wait(policy, [&] { return SimulatedMemory::now >= start + instance_ns; }, released);
      SimulatedMemory::now = std::max(SimulatedMemory::now, start + instance_ns);  // asleep
      team_.next_episode();
      if ((SimulatedMemory::placed != kNoCpu) == until_placed) return true;
    }
    return false;
  }

  SimulatedTeam team_;
  LoadTree load_;
};

// A thread that sleeps leaves its CPU to a competitor.
TEST_F(Crowded, SleepsSoonWhereEachThreadHasACpuOfItsOwn) {
  AutoWait policy = this->policy();
  ASSERT_TRUE(pass(policy, 5'000, true));
  ASSERT_EQ(SimulatedMemory::placed, 0U) << "that of thread 0";
  SimulatedMemory::cpu = 0;
  team_.arrive(1, 1, team_.episode() - 1);
  EXPECT_LE(team_.wait_in_vain(policy), 1'100'000U);
}

// With one competitor only for a part of the time, so that it has its share.
TEST_F(Crowded, IsApartForAPartOfTheTimeBesideOneCompetitor) {
  load_.runnable(2);  // one is the thread that looks
  AutoWait policy = this->policy();
  ASSERT_TRUE(pass(policy, 5'000, true));
  std::uint64_t apart_ns = 0;
  const std::uint64_t begin = SimulatedMemory::now;
  while (SimulatedMemory::now < begin + 3'600 * tuning::kMs) {
    const bool apart = SimulatedMemory::placed != kNoCpu;
    const std::uint64_t before = SimulatedMemory::now;
    ASSERT_TRUE(pass(policy, apart ? 2'000 : 8'000, !apart)) << "it gains by a factor of four";
    if (apart) apart_ns += SimulatedMemory::now - before;
  }
  EXPECT_NEAR(static_cast<double>(apart_ns) / 3'600 / tuning::kMs, 5.0 / 9, 0.05);
  load_.runnable(1);
  EXPECT_TRUE(pass(policy, 5'000, false)) << "the competitor has left";
}

TEST_F(Crowded, ACoarseTeamStaysOnOneCpu) {
  AutoWait policy = this->policy();
  EXPECT_FALSE(pass(policy, 100'000, true));
}

// Each shares its CPU with a competitor, and every instance may take as long as both competitors' slices.
TEST_F(Crowded, ACoarseTeamThatIsApartIsTriedOnOneCpu) {
  AutoWait policy = this->policy();
  SimulatedMemory::cpu = 0;
  EXPECT_FALSE(pass(policy, 100'000, true)) << "nobody is in its way";
  SimulatedMemory::yield_ns = 3 * tuning::kMs;
  EXPECT_TRUE(pass(policy, 100'000, true));
  EXPECT_EQ(team_.stats().gatherings.read(), 1U);
  EXPECT_TRUE(pass(policy, 100'000, false)) << "as many instances as before: no gain";
}

// There is nothing to gain from one of many CPUs. Competitors that never have one for long may be another team, and two
// teams share the CPUs better if each runs while the other sleeps.
TEST_F(Crowded, ACoarseTeamOnManyCpusIsApartBesideThoseThatCompute) {
  SimulatedMemory::cpus = 8;
  for (const int runnable : {5, 9, 20}) {
    load_.runnable(runnable);
    for (const std::uint64_t yield_ns : {std::uint64_t{1'000}, 3 * tuning::kMs}) {
      SimulatedMemory::yield_ns = yield_ns;
      AutoWait policy = this->policy();
      EXPECT_EQ(pass(policy, 100'000, true), runnable > 8 && yield_ns > tuning::kPreemptedNs)
          << runnable << " runnable, " << yield_ns;
      EXPECT_EQ(team_.stats().gatherings.read(), 0U);
      SimulatedMemory::placed = kNoCpu;
    }
  }
}

// A quota of one CPU needs no trial to gather a team that does not fit. A team that fits is on trial all the same.
TEST_F(Crowded, LeavesOwnCpusThatDoNotPayAlsoUnderAQuota) {
  load_.quota("100000");
  AutoWait policy = this->policy();
  ASSERT_TRUE(pass(policy, 5'000, true));
  EXPECT_TRUE(pass(policy, 5'000, false)) << "as many instances as before: no gain";
}

// A pair that the kernel has put on one of two CPUs, with nothing else running on the machine.
TEST(Auto, APairOnOneCpuIsApartWithinAMillisecond) {
  for (const std::uint64_t work_ns : {1'000U, 10'000U}) {
    SimulatedTeam team(2);
    SimulatedMemory::cpus = 2;
    LoadTree load;
    load.runnable(5);  // at the regular look; these have left since
    load.sensor->teams_grew(2);
    load.sensor->look(SimulatedMemory::now);
    load.runnable(2);
    AutoWait policy({.team_size = 2,
                     .settings = {.slice_ns = 0, .place = true},
                     .load_sensor = load.sensor.get()});
    const std::uint64_t begin = SimulatedMemory::now;
    while (SimulatedMemory::left == kNoCpu && SimulatedMemory::now < begin + 20'000'000) {
      if (policy.records_arrivals()) team.arrive(1, 0, team.episode() - 1);
      // The teammate runs only when this thread yields, until it yields, too: at once if it knows of this thread.
      const std::uint64_t yields = team.stats().yields.read();
      SimulatedMemory::yield_ns = work_ns + (policy.records_arrivals() ? 0 : tuning::kYieldEveryNs);
      bool released = false;
      team.wait(policy, [&] { return team.stats().yields.read() > yields; }, released);
      team.next_episode();
    }
    EXPECT_EQ(SimulatedMemory::left, 0U);
    EXPECT_LE(SimulatedMemory::now - begin, 1'000'000U) << work_ns << " ns of work";
  }
}

// Requesting a slice and giving it back at the end of each short region would take longer than the region.
TEST_F(Gathered, OnlyAsOftenAsAThreadMayAskTheScheduler) {
  SimulatedMemory::may_ask = false;
  wait_for(100, 3 * kMs);
  EXPECT_GE(gatherings(), 1U);
  EXPECT_EQ(SimulatedMemory::placed, kNoCpu);
  SimulatedMemory::may_ask = true;
  wait_for(1, 3 * kMs);
  EXPECT_NE(SimulatedMemory::placed, kNoCpu);
}

TEST_F(Gathered, NeverWhereTheUserPlacedTheThreads) {
  AutoWait bound({.team_size = 8, .bound_cpus = 2, .settings = {.slice_ns = 0, .place = true}});
  AutoWait off({.team_size = 8, .settings = {.slice_ns = 0, .place = false}});
  wait_by(bound, 500, 3 * kMs, 1);
  wait_by(off, 500, 3 * kMs, 1);
  EXPECT_EQ(gatherings(), 0U);
  EXPECT_EQ(SimulatedMemory::placed, kNoCpu);
}

}  // namespace
}  // namespace muster::test
