// Which gaps stolen time explains, from recorded and made-up texts of /proc/stat.
#include "load/stolen_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/recorded_tree.h"
#include "tests/support/simulated_wait.h"
#include "waiting/auto_wait.h"
#include "waiting/contention.h"

namespace muster::test {
namespace {

constexpr std::uint64_t kUs = 1'000;
constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kStart = 5'000 * kMs;
constexpr std::uint64_t kThreshold = 500 * kUs;
constexpr std::uint64_t kRead = StolenTime::kReadEveryNs;

// Two CPUs, from which 5 s each were stolen before.
class Stolen : public testing::Test {
 protected:
  void SetUp() override {
    steal(0, 0);
    tree_.look(now_);
  }
  // Stolen since the start, as it is reported: in steps of 10 ms.
  void steal(std::uint64_t from_0_ns, std::uint64_t from_1_ns) {
    const auto line = [](const char* cpu, std::uint64_t ns) {
      return std::string(cpu) + " 9 9 9 9 9 9 9 " + std::to_string(500 + ns / kCpuTimesStepNs) +
             " 0 0\n";
    };
    tree_.write("proc/stat", line("cpu ", from_0_ns + from_1_ns) + line("cpu0", from_0_ns) +
                                 line("cpu1", from_1_ns) + "intr 1\n");
  }
  // A gap that ends now, `after_ns` later.
  bool gap(std::uint64_t length_ns, std::uint64_t after_ns = kRead) {
    now_ += after_ns;
    return tree_.sensor->was_stolen(now_ - length_ns, now_, kThreshold);
  }
  LoadSnapshot last() { return tree_.look(now_ += LoadSensor::kLookEveryNs); }

  RecordedTree tree_{"no-groups"};
  std::uint64_t now_ = kStart;
};

TEST_F(Stolen, ExplainsAGapWhileItGrows) {
  steal(10 * kMs, 0);
  EXPECT_TRUE(gap(8 * kMs));
  EXPECT_EQ(last().stolen_gaps, 1U);
}

TEST_F(Stolen, DoesNotExplainAGapWhileItDoesNot) {
  EXPECT_FALSE(gap(8 * kMs));
  EXPECT_EQ(last().stolen_gaps, 0U);
  EXPECT_EQ(last().stolen_ns, 0U);
  EXPECT_EQ(last().stolen_before_ns, 10'000 * kMs);
}

TEST_F(Stolen, DoesNotExplainAGapOnAnotherCpu) {
  steal(0, 10 * kMs);
  EXPECT_FALSE(gap(8 * kMs));
  RecordedTree::cpu = 1;
  EXPECT_TRUE(gap(8 * kMs));
  RecordedTree::cpu = kNoCpu;
  EXPECT_FALSE(gap(8 * kMs)) << "on no known CPU";
}

TEST_F(Stolen, LeavesLessThanATurnUnexplained) {
  steal(10 * kMs, 0);
  EXPECT_TRUE(gap(10 * kMs + kThreshold - 1));
  steal(20 * kMs, 0);
  EXPECT_FALSE(gap(10 * kMs + kThreshold, 2 * kRead)) << "another process had a turn, too";
}

TEST_F(Stolen, IsDrawnOnce) {
  steal(10 * kMs, 0);
  unsigned explained = 0;
  for (int i = 0; i < 10; ++i) explained += gap(3 * kMs, 4 * kMs) ? 1 : 0;
  EXPECT_EQ(explained, 3U);
}

TEST_F(Stolen, IsDrawnOnceByAllThreadsOfACpu) {
  steal(10 * kMs, 0);
  now_ += kRead;
  LoadSensor& sensor = *tree_.sensor;
  EXPECT_TRUE(sensor.was_stolen(now_ - 9 * kMs, now_, kThreshold)) << "the one that ran";
  EXPECT_TRUE(sensor.was_stolen(now_ - 9 * kMs - 10 * kUs, now_ + 20 * kUs, kThreshold))
      << "one that had yielded to it";
  EXPECT_TRUE(sensor.was_stolen(now_ - 9 * kMs - 30 * kUs, now_ + 40 * kUs, kThreshold));
  EXPECT_FALSE(sensor.was_stolen(now_, now_ + 5 * kMs, kThreshold)) << "a later turn";
}

TEST_F(Stolen, TimeFromLongAgoExplainsOneGapAndAStep) {
  steal(10'000 * kMs, 0);  // while the team computed
  EXPECT_TRUE(gap(3 * kMs, 60'000 * kMs));
  unsigned explained = 0;
  for (int i = 0; i < 100; ++i) explained += gap(3 * kMs, 4 * kMs) ? 1 : 0;
  EXPECT_LE(explained, 6U) << "the competitor is noticed within 25 ms";
}

// The steps are 10 ms, the gaps 4 ms: the first ones look like competitors.
TEST_F(Stolen, HalfOfTheTimeIsNoCompetitor) {
  std::uint64_t stolen_ns = 0;
  unsigned unexplained = 0;
  for (int i = 0; i < 1000; ++i) {
    steal(stolen_ns += 4 * kMs, 0);
    if (!gap(4 * kMs, 8 * kMs)) ++unexplained;
  }
  EXPECT_LE(unexplained, 5U);
  EXPECT_GE(last().stolen_gaps, 995U);
}

TEST_F(Stolen, LongGapsAreNoCompetitorEither) {
  for (const std::uint64_t length_ns : {12 * kMs, 15 * kMs, 33 * kMs}) {
    std::uint64_t stolen_ns = 100'000 * kMs + length_ns;
    unsigned unexplained = 0;
    for (int i = 0; i < 300; ++i) {
      steal(stolen_ns += length_ns, 0);
      if (!gap(length_ns, 2 * length_ns)) ++unexplained;
    }
    EXPECT_LE(unexplained, 10U) << length_ns;
  }
}

// A competitor has half of what the host gives, in turns of 4 ms.
TEST_F(Stolen, DoesNotHideACompetitor) {
  std::uint64_t stolen_ns = 0;
  unsigned unexplained = 0;
  for (int i = 0; i < 300; ++i) {
    now_ += 8 * kMs;
    steal(stolen_ns += 4 * kMs, 0);
    if (!gap(4 * kMs, 0)) ++unexplained;
    now_ += 4 * kMs;
    if (!gap(4 * kMs, 4 * kMs)) ++unexplained;
  }
  EXPECT_GE(unexplained, 270U) << "as many as turns, or nearly";
}

TEST_F(Stolen, IsReadForGapsOnlyAndNotOften) {
  steal(100 * kMs, 0);
  EXPECT_FALSE(gap(3 * kMs, kRead - 1));
  EXPECT_TRUE(gap(3 * kMs, 1));
}

TEST_F(Stolen, ACountThatIsResetOrJumpsIsBounded) {
  steal(50 * kMs, 0);
  EXPECT_TRUE(gap(20 * kMs, 50 * kMs));
  tree_.write("proc/stat", "cpu0 9 9 9 9 9 9 9 3\n");
  EXPECT_FALSE(gap(30 * kMs, 50 * kMs)) << "it went back";
  tree_.write("proc/stat", "cpu0 9 9 9 9 9 9 9 184467440737095516\n");
  gap(20 * kMs, 50 * kMs);
  EXPECT_LE(last().stolen_ns, 50 * kMs + 60 * kMs)
      << "no more than the time that passed and a step";
}

TEST_F(Stolen, AClockThatIsSetBackChangesLittle) {
  steal(50 * kMs, 0);
  now_ = 3 * kMs;
  tree_.sensor->was_stolen(now_ - kMs, now_, kThreshold);
  EXPECT_LE(last().stolen_ns, kCpuTimesStepNs);
  steal(70 * kMs, 0);
  EXPECT_TRUE(gap(20 * kMs, 20 * kMs)) << "and goes on from there";
}

TEST_F(Stolen, MayBecomeUnreadable) {
  steal(10 * kMs, 0);
  EXPECT_TRUE(gap(8 * kMs));
  tree_.remove("proc/stat");
  EXPECT_FALSE(gap(8 * kMs, 20 * kMs));
  EXPECT_FALSE(last().has(LoadSource::kStolen));
  steal(30 * kMs, 0);
  EXPECT_TRUE(gap(8 * kMs, 20 * kMs));
  EXPECT_TRUE(last().has(LoadSource::kStolen));
}

TEST_F(Stolen, ACpuMayComeAndGo) {
  tree_.write("proc/stat", "cpu0 9 9 9 9 9 9 9 500\n");
  EXPECT_FALSE(gap(8 * kMs));
  steal(0, 0);
  RecordedTree::cpu = 1;
  EXPECT_FALSE(gap(8 * kMs)) << "what was stolen before is the past";
  RecordedTree::cpu = 7;
  tree_.write("proc/stat", "cpu7 9 9 9 9 9 9 9 900\n");
  EXPECT_FALSE(gap(8 * kMs)) << "a new CPU's count is the past";
  tree_.write("proc/stat", "cpu7 9 9 9 9 9 9 9 901\n");
  EXPECT_TRUE(gap(8 * kMs));
}

// The file costs more with each CPU.
TEST_F(Stolen, IsReadLessOftenOnManyCpus) {
  const auto many = [&](unsigned ticks) {
    std::string text;
    for (unsigned cpu = 0; cpu < 100; ++cpu)
      text += "cpu" + std::to_string(cpu) + " 9 9 9 9 9 9 9 " + std::to_string(ticks) + " 0 0\n";
    tree_.write("proc/stat", text + "intr 0\n");
  };
  many(600);
  gap(kMs);
  many(610);
  EXPECT_FALSE(gap(30 * kMs, 99 * kMs)) << "not read yet";
  EXPECT_TRUE(gap(30 * kMs, kMs));
  EXPECT_TRUE(gap(30 * kMs, 40 * kMs)) << "what is left is for all gaps until the next read";
}

// Unlike the others, on a machine that never had any.
TEST(StolenNever, IsLookedForOnceASecond) {
  RecordedTree tree("no-groups");
  const auto stolen = [&](unsigned ticks) {
    tree.write("proc/stat", "cpu0 9 9 9 9 9 9 9 " + std::to_string(ticks) + " 0 0\n");
  };
  stolen(0);
  tree.look(kStart);
  stolen(1);
  const auto gap = [&](std::uint64_t now_ns) {
    return tree.sensor->was_stolen(now_ns - 5 * kMs, now_ns, kThreshold);
  };
  EXPECT_FALSE(gap(kStart + 20 * kMs));
  EXPECT_FALSE(gap(kStart + 999 * kMs));
  EXPECT_TRUE(gap(kStart + 1000 * kMs));
  stolen(2);
  EXPECT_TRUE(gap(kStart + 1020 * kMs)) << "from then on often";
}

TEST(StolenNowhere, NothingIsExplained) {
  for (const char* name : {"stolen-column-missing", "garbage", "no-proc"}) {
    RecordedTree tree(name);
    const LoadSnapshot seen = tree.look(kStart);
    EXPECT_FALSE(seen.has(LoadSource::kStolen)) << name;
    EXPECT_EQ(seen.stolen_before_ns, 0U) << name;
    const std::uint64_t now = kStart + 2'000 * kMs;
    EXPECT_FALSE(tree.sensor->was_stolen(now - 5 * kMs, now, kThreshold)) << name;
  }
  LoadSensor never_looked({.root = "/nonexistent"});
  EXPECT_FALSE(never_looked.was_stolen(kStart, kStart + 5 * kMs, kThreshold));
  LoadSensor nothing_kept({.root = "/nonexistent", .opens_files = false});
  nothing_kept.look(kStart);
  EXPECT_FALSE(nothing_kept.was_stolen(kStart, kStart + 2'000 * kMs, kThreshold));
}

// As a machine reported it in six minutes: 60 ms from the first CPU, 50 ms from the second.
TEST(StolenRecorded, IsTotalledOverTheAllowedCpus) {
  for (const unsigned cpus : {1U, 2U}) {
    RecordedTree tree("stolen");
    RecordedTree::cpus = cpus;
    LoadSnapshot seen = tree.look(kStart);
    EXPECT_EQ(seen.stolen_before_ns, (cpus == 1 ? 831 : 831 + 766) * kCpuTimesStepNs);
    std::ifstream series(std::string(MUSTER_LOAD_TREES) + "/stolen/series.txt");
    std::string word;
    std::uint64_t after_ms = 0;
    while (series >> word >> after_ms >> word) {
      std::string text;
      std::string line;
      std::getline(series, line);
      for (int i = 0; i < 3; ++i) {
        std::getline(series, line);
        text += line + "\n";
      }
      tree.write("proc/stat", text);
      const std::uint64_t stolen_before_ns = seen.stolen_ns;
      const std::uint64_t now = kStart + after_ms * kMs;
      RecordedTree::cpu = 0;
      const bool explains_0 = tree.sensor->was_stolen(now - 9'800 * kUs, now, kThreshold);
      RecordedTree::cpu = 1;
      const bool explains_1 = tree.sensor->was_stolen(now - 9'800 * kUs, now, kThreshold);
      seen = tree.look(now);
      if (cpus == 2) {
        EXPECT_EQ(explains_0 || explains_1, seen.stolen_ns != stolen_before_ns) << after_ms;
      }
    }
    EXPECT_EQ(after_ms, 377285U);
    EXPECT_EQ(seen.stolen_ns, (cpus == 1 ? 6 : 6 + 5) * kCpuTimesStepNs);
  }
}

TEST(StolenTimeOfThreads, IsUsedByOneAtATime) {
  RecordedTree tree("stolen");
  tree.look(kStart);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (std::uint64_t turn = 1; turn <= 500; ++turn) {
        const std::uint64_t now = kStart + turn * kRead;
        tree.sensor->was_stolen(now - kMs, now, kThreshold);
        tree.sensor->look(now);
        if (tree.sensor->last().stolen_ns > 0) ADD_FAILURE() << "the file does not change";
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(Stolen, IsNoCompetitor) {
  Contention contention(WaitParameters{.team_size = 2, .load_sensor = tree_.sensor.get()});
  steal(10 * kMs, 0);
  now_ += kRead;
  EXPECT_FALSE(contention.note_gap(now_ - 8 * kMs, now_));
  EXPECT_FALSE(contention.competitor_near(now_));
  EXPECT_FALSE(contention.contended());
  now_ += kRead;
  EXPECT_TRUE(contention.note_gap(now_ - 8 * kMs, now_)) << "without it";
  EXPECT_TRUE(contention.competitor_near(now_));
}

// How long a thread spins that lost 12 ms in its first wait: with a competitor, 50 us.
std::uint64_t spin_after_a_gap(bool stolen) {
  SimulatedTeam team(2);
  RecordedTree tree("no-groups");
  const auto stat = [&](int ticks) {
    tree.write("proc/stat", "cpu0 9 9 9 9 9 9 9 " + std::to_string(ticks) + "\n");
  };
  stat(500);
  tree.look(SimulatedMemory::now);
  AutoWait policy({.team_size = 2, .load_sensor = tree.sensor.get()});
  SimulatedMemory::now += 20 * kMs;
  team.arrive(1, 1, team.episode() - 1);
  bool released = false;
  int polls = 0;
  team.wait(
      policy,
      [&] {
        if (++polls == 100) {
          SimulatedMemory::now += 12 * kMs;
          if (stolen) stat(502);
        }
        return polls == 200;
      },
      released);
  team.next_episode();
  team.arrive(1, 1, team.episode() - 1);
  return team.wait_in_vain(policy);
}

TEST(StolenFromAWait, DoesNotShortenTheNextSpin) {
  EXPECT_GE(spin_after_a_gap(true), 1'000 * kUs);
  EXPECT_LE(spin_after_a_gap(false), 100 * kUs);
}

}  // namespace
}  // namespace muster::test
