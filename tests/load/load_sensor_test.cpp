// The load sensor, fed from recorded trees and with a simulated clock.
#include "load/load_sensor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "platform/cpus.h"
#include "platform/number_text.h"
#include "platform/read_file.h"
#include "tests/support/recorded_tree.h"

namespace muster::test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kStart = 5'000'000'000;
constexpr std::uint64_t kStep = LoadSensor::kLookEveryNs;

std::uint32_t bits(std::initializer_list<LoadSource> sources) {
  std::uint32_t all = 0;
  for (const LoadSource source : sources) all |= static_cast<std::uint32_t>(source);
  return all;
}

TEST(LoadSensor, SaysNothingBeforeItLooked) {
  const LoadSensor sensor;
  EXPECT_EQ(sensor.last().looks, 0U);
  EXPECT_EQ(sensor.last().allowed_cpus, 0U);
}

TEST(LoadSensor, ReadsAMachineWithoutLimits) {
  RecordedTree tree("two-cpus-hybrid");
  const LoadSnapshot seen = tree.look(kStart);
  EXPECT_EQ(seen.taken_ns, kStart);
  EXPECT_EQ(seen.looks, 1U);
  EXPECT_EQ(seen.allowed_cpus, 2U);
  EXPECT_EQ(seen.quota_millicpus, 0U);
  EXPECT_EQ(seen.usable_millicpus(), 2000U);
  EXPECT_EQ(seen.runnable, 1U);
  EXPECT_EQ(seen.unavailable, 0U);
}

TEST(LoadSensor, ReadsQuotas) {
  struct Case {
    const char* tree;
    std::uint32_t quota;
    std::uint64_t throttled_before;
  };
  for (const auto& [name, quota, before] :
       {Case{"v1-quota", 500, 5}, Case{"v2-one-cpu", 1000, 37}, Case{"v2-parent-tighter", 1500, 23},
        Case{"v2-container", 2500, 4}, Case{"no-pressure", 0, 0}}) {
    SCOPED_TRACE(name);
    RecordedTree tree(name);
    const LoadSnapshot seen = tree.look(kStart);
    EXPECT_EQ(seen.quota_millicpus, quota);
    EXPECT_EQ(seen.throttled_before, before);
    EXPECT_EQ(seen.throttled_periods, 0U) << "nothing since the first look";
    EXPECT_TRUE(seen.has(LoadSource::kQuota));
    EXPECT_TRUE(seen.has(LoadSource::kThrottling));
  }
}

TEST(LoadSensor, UsableCpusAreTheSmallerOfMaskAndQuota) {
  RecordedTree wide("v2-container");
  EXPECT_EQ(wide.look(kStart).usable_millicpus(), 2000U);
  RecordedTree narrow("v2-one-cpu");
  EXPECT_EQ(narrow.look(kStart).usable_millicpus(), 1000U);
}

TEST(LoadSensor, SurvivesWhateverIsMissing) {
  using enum LoadSource;
  const auto unavailable = [](const char* name) {
    SCOPED_TRACE(name);
    errno = 4711;
    RecordedTree tree(name);
    errno = 4711;
    const LoadSnapshot seen = tree.look(kStart);
    EXPECT_EQ(errno, 4711);
    EXPECT_EQ(seen.allowed_cpus, 2U);
    return seen.unavailable;
  };
  EXPECT_EQ(unavailable("no-proc"),
            bits({kRunnable, kGroups, kQuota, kThrottling, kPressure, kStolen}));
  EXPECT_EQ(unavailable("no-groups"), bits({kGroups, kQuota, kThrottling}));
  EXPECT_EQ(unavailable("garbage"), bits({kRunnable, kQuota, kPressure, kStolen}));
  EXPECT_EQ(unavailable("garbled-stat"), bits({kRunnable, kThrottling, kPressure, kStolen}));
  EXPECT_EQ(unavailable("no-pressure"), bits({kPressure}));
}

TEST(LoadSensor, MakesNothingUpFromGarbage) {
  RecordedTree tree("garbage");
  const LoadSnapshot seen = tree.look(kStart);
  EXPECT_EQ(seen.quota_millicpus, 0U);
  EXPECT_EQ(seen.runnable, 0U);
  EXPECT_EQ(seen.competitors(), 0U);
  RecordedTree stat("garbled-stat");
  EXPECT_EQ(stat.look(kStart).quota_millicpus, 1500U) << "the quota is valid all the same";
}

TEST(LoadSensor, WhatIsNoCountOfThreads) {
  RecordedTree tree("two-cpus-hybrid");
  std::uint64_t now_ns = kStart;
  for (const char* text : {"", "0.1\n", "0.1 0.2 0.3\n", "0.1 0.2 0.3 some/9 1\n",
                           "0.1 0.2 0.3 4 5\n", "0.1 0.2 0.3 99999999999/100000000000 7\n"}) {
    tree.write("proc/loadavg", text);
    EXPECT_FALSE(tree.look(now_ns += kStep).has(LoadSource::kRunnable)) << text;
  }
  tree.write("proc/loadavg", "0.1 0.2 0.3 4/5 6\n");
  EXPECT_EQ(tree.look(now_ns += kStep).runnable, 4U);
  for (const char* text : {"full avg10=0.00 total=3\n", "some avg10=0.00\n", "some total=x\n"}) {
    tree.write("proc/pressure/cpu", text);
    EXPECT_FALSE(tree.look(now_ns += kStep).has(LoadSource::kPressure)) << text;
  }
}

TEST(LoadSensor, LooksEvery10MsAndNotBefore) {
  RecordedTree tree("two-cpus-hybrid");
  tree.look(kStart);
  EXPECT_FALSE(tree.sensor->look(kStart));
  EXPECT_FALSE(tree.sensor->look(kStart + kStep - 1));
  EXPECT_FALSE(tree.sensor->look(kStart - 1'000)) << "another thread's clock, read a bit earlier";
  EXPECT_EQ(tree.sensor->looks(), 1U);
  EXPECT_TRUE(tree.sensor->look(kStart + kStep));
  EXPECT_FALSE(tree.sensor->look(kStart + kStep + 1));
  EXPECT_EQ(tree.sensor->last().looks, 2U);
}

// As the report's, with which the counts end.
TEST(LoadSensor, LooksAtOnceWhereAsked) {
  RecordedTree tree("stolen");
  tree.look(kStart);
  tree.write("proc/stat", "cpu0 9 9 9 9 9 9 9 832\ncpu1 9 9 9 9 9 9 9 766\n");
  EXPECT_FALSE(tree.sensor->look(kStart + 1, Files::kOpen));
  EXPECT_TRUE(tree.sensor->look(kStart + 1, Files::kOpen, 0));
  EXPECT_EQ(tree.sensor->last().stolen_ns, 10'000'000U);
  EXPECT_TRUE(tree.sensor->look(kStart + 1, Files::kOpen, 0));
  EXPECT_EQ(tree.sensor->looks(), 3U);
}

TEST(LoadSensor, GoesOnWhenTheClockWasSetBack) {
  RecordedTree tree("two-cpus-hybrid");
  tree.look(kStart);
  EXPECT_TRUE(tree.sensor->look(1));
  EXPECT_EQ(tree.sensor->last().taken_ns, 1U);
  EXPECT_FALSE(tree.sensor->look(2));
}

TEST(LoadSensor, RereadsWhatChanges) {
  RecordedTree tree("v2-one-cpu");
  tree.look(kStart);
  const std::string job = "sys/fs/cgroup/work.slice/job.scope/";
  tree.write(job + "cpu.max", "max 100000\n");
  tree.write("sys/fs/cgroup/work.slice/cpu.max", "50000 100000\n");
  tree.write("proc/loadavg", "2.61 1.80 0.95 1/312 40122\n");
  RecordedTree::cpus = 1;  // affinity narrowed
  const LoadSnapshot seen = tree.look(kStart + kStep);
  EXPECT_EQ(seen.quota_millicpus, 500U) << "of the parent now";
  EXPECT_EQ(seen.allowed_cpus, 1U);
  EXPECT_EQ(seen.runnable, 1U);
  EXPECT_EQ(seen.most_runnable, 5U);
  tree.write("sys/fs/cgroup/work.slice/cpu.max", "max 100000\n");
  EXPECT_EQ(tree.look(kStart + 2 * kStep).quota_millicpus, 0U);
}

TEST(LoadSensor, CountsThrottlingSinceTheFirstLook) {
  RecordedTree tree("v2-one-cpu");
  const std::string stat = "sys/fs/cgroup/work.slice/job.scope/cpu.stat";
  tree.look(kStart);
  tree.write(stat, "nr_periods 900\nnr_throttled 40\nthrottled_usec 1904382\n");
  LoadSnapshot seen = tree.look(kStart + kStep);
  EXPECT_EQ(seen.throttled_periods, 3U);
  EXPECT_EQ(seen.throttled_ns, 50'000U);
  EXPECT_EQ(seen.throttled_before, 37U);
  tree.write(stat, "nr_periods 2\nnr_throttled 1\nthrottled_usec 7\n");  // created again
  seen = tree.look(kStart + 2 * kStep);
  EXPECT_EQ(seen.throttled_periods, 4U);
}

TEST(LoadSensor, AveragesCompetitorsOverRegularLooks) {
  RecordedTree tree("two-cpus-hybrid");
  tree.write("proc/loadavg", "0 0 0 4/9 1\n");
  std::uint64_t now = kStart;
  tree.look(now);
  EXPECT_EQ(tree.sensor->competitors().count(), 3U) << "all that is known";
  for (int look = 0; look < 50; ++look) tree.look(now += kStep);
  EXPECT_EQ(tree.sensor->competitors().count(), 3U);
  EXPECT_TRUE(tree.sensor->competitors().exceeds_cpus());
  tree.write("proc/loadavg", "0 0 0 1/9 1\n");
  constexpr std::uint64_t kSoon = LoadSensor::kLookEveryNs / 20;
  for (int look = 0; look < 19; ++look) tree.sensor->look(now += kSoon, Files::kKept, kSoon);
  EXPECT_EQ(tree.sensor->competitors().count(), 3U) << "looks in between have no weight";
}

TEST(LoadSensor, SaysWhichGapsTheQuotaExplains) {
  RecordedTree tree("v2-one-cpu");
  const std::string stat = "sys/fs/cgroup/work.slice/job.scope/cpu.stat";
  tree.look(kStart);
  const std::uint64_t end = kStart + 3 * kStep;
  EXPECT_FALSE(tree.sensor->was_throttled(kStart + kStep, end));
  tree.write(stat, "nr_periods 900\nnr_throttled 40\nthrottled_usec 1904382\n");
  const std::uint64_t later = end + kStep / 10;
  EXPECT_TRUE(tree.sensor->was_throttled(kStart + kStep, later));
  EXPECT_TRUE(tree.sensor->was_throttled(kStart, later + 1)) << "another thread's";
  EXPECT_FALSE(tree.sensor->was_throttled(later, later + kStep)) << "a later one";
  EXPECT_FALSE(tree.sensor->was_throttled(kStart / 2, kStart / 2 + kStep)) << "the clock went back";
}

TEST(LoadSensor, ANewQuotasPastIsNotOurs) {
  RecordedTree tree("v2-one-cpu");
  tree.look(kStart);
  tree.write("sys/fs/cgroup/work.slice/cpu.max", "150000 100000\n");
  tree.write("sys/fs/cgroup/work.slice/cpu.stat", "nr_throttled 1000\nthrottled_usec 9\n");
  EXPECT_EQ(tree.look(kStart + kStep).throttled_periods, 0U);
}

TEST(LoadSensor, NoticesThatItWasMovedToAnotherGroup) {
  RecordedTree tree("v2-one-cpu");
  tree.look(kStart);
  tree.write("proc/self/cgroup", "0::/work.slice/other\n");
  tree.write("sys/fs/cgroup/work.slice/other/cpu.max", "25000 100000\n");
  tree.write("sys/fs/cgroup/work.slice/other/cpu.stat", "nr_throttled 99\nthrottled_usec 9\n");
  EXPECT_EQ(tree.look(kStart + kStep).quota_millicpus, 1000U) << "searched once a second";
  const LoadSnapshot seen = tree.look(kStart + LoadSensor::kSearchEveryNs);
  EXPECT_EQ(seen.quota_millicpus, 250U);
  EXPECT_EQ(seen.throttled_periods, 0U) << "99 are another group's past";
}

TEST(LoadSensor, ASourceMayGoAndComeBack) {
  RecordedTree tree("two-cpus-hybrid");
  tree.look(kStart);
  tree.remove("proc/loadavg");
  EXPECT_FALSE(tree.look(kStart + kStep).has(LoadSource::kRunnable));
  tree.write("proc/loadavg", "0 0 0 7/9 1\n");
  const LoadSnapshot seen = tree.look(kStart + 2 * kStep);
  EXPECT_TRUE(seen.has(LoadSource::kRunnable));
  EXPECT_EQ(seen.runnable, 7U);
}

TEST(LoadSensor, StalledTimeGrowsFromTheFirstLook) {
  RecordedTree tree("two-cpus-hybrid");
  EXPECT_EQ(tree.look(kStart).stalled_us, 0U);
  tree.write("proc/pressure/cpu", "some avg10=0.00 avg60=0.47 avg300=17.40 total=3789347781\n");
  EXPECT_EQ(tree.look(kStart + kStep).stalled_us, 3'300U);
}

TEST(LoadSensor, TellsCompetitorsFromItsTeams) {
  RecordedTree tree("v2-one-cpu");  // 5 runnable
  EXPECT_EQ(tree.look(kStart).competitors(), 4U) << "all except the caller";
  tree.sensor->teams_grew(4);
  EXPECT_EQ(tree.look(kStart + kStep).competitors(), 1U);
  tree.sensor->fell_asleep();
  tree.sensor->fell_asleep();
  EXPECT_EQ(tree.look(kStart + 3 * kStep).competitors(), 3U);
  tree.sensor->woke_up(1);
  tree.sensor->teams_grew(8);
  EXPECT_EQ(tree.look(kStart + 5 * kStep).competitors(), 0U)
      << "more of ours than run: none for sure";
  tree.sensor->teams_shrank(12);
  EXPECT_EQ(tree.look(kStart + 7 * kStep).team_threads, 0U);
}

// The kernel counts some of them as runnable.
TEST(LoadSensor, WaitsForAMomentWithoutSleepers) {
  RecordedTree tree("v2-one-cpu");
  LoadSensor& sensor = *tree.sensor;
  sensor.teams_grew(5);
  tree.look(kStart);
  sensor.fell_asleep();
  EXPECT_FALSE(sensor.look(kStart + kStep));
  EXPECT_FALSE(sensor.look(kStart + 2 * kStep - 1));
  sensor.woke_up(1);
  EXPECT_TRUE(sensor.look(kStart + 2 * kStep - 1));
  EXPECT_EQ(sensor.competitors().count(), 0U);
  sensor.fell_asleep();
  EXPECT_FALSE(sensor.look(kStart + 4 * kStep - 2));
  EXPECT_TRUE(sensor.look(kStart + 4 * kStep - 1)) << "no longer than 10 ms";
}

// Looks for another reason do not wait. They count in the average only if there was none for 20 ms.
TEST(LoadSensor, MomentsWithSleepersCountLess) {
  RecordedTree tree("v2-one-cpu");
  LoadSensor& sensor = *tree.sensor;
  sensor.teams_grew(5);
  tree.look(kStart);
  for (int i = 0; i < 4; ++i) sensor.fell_asleep();
  const std::uint64_t often = LoadSensor::kLookForGapEveryNs;
  const auto look = [&](std::uint64_t at_ns) { return sensor.look(at_ns, Files::kKept, often); };
  EXPECT_TRUE(look(kStart + 2 * kStep - often));
  EXPECT_EQ(sensor.last().competitors(), 4U);
  EXPECT_EQ(sensor.competitors().count(), 0U);
  EXPECT_TRUE(look(kStart + 2 * kStep));
  EXPECT_EQ(sensor.competitors().count(), 2U) << "none and four";
}

TEST(LoadSensor, BeginsAnewInTheChildOfAFork) {
  RecordedTree tree("v2-one-cpu");
  tree.sensor->teams_grew(4);
  tree.look(kStart);
  tree.sensor->after_fork_in_child();
  const LoadSnapshot seen = tree.look(kStart + 1);
  EXPECT_EQ(seen.looks, 2U);
  EXPECT_EQ(seen.team_threads, 0U);
}

TEST(LoadSensor, KeepsNoDescriptorOpen) {
  RecordedTree tree("v2-parent-tighter");
  const int before = open("/dev/null", O_RDONLY | O_CLOEXEC);
  close(before);
  tree.look(kStart);
  const int after = open("/dev/null", O_RDONLY | O_CLOEXEC);
  close(after);
  EXPECT_EQ(before, after);
}

// One of many threads samples; the others' copies are always of one sample, never of parts of two.
TEST(LoadSensor, CopiesAreWholeAndEachLookIsDoneOnce) {
  static std::atomic<unsigned> calls{0};  // one per sample, so both numbers of a snapshot are equal
  LoadSensor sensor({.root = "/nonexistent", .allowed_cpus = [] { return ++calls; }});
  sensor.look(kStart);
  constexpr std::uint64_t kLooks = 3'000;
  std::atomic<std::uint64_t> looked{0};
  std::atomic<bool> torn{false};
  const auto work = [&] {
    for (std::uint64_t turn = 1; turn <= kLooks; ++turn) {
      if (sensor.look(kStart + turn * kStep)) looked.fetch_add(1);
      const LoadSnapshot seen = sensor.last();
      if (seen.looks == 0 || seen.allowed_cpus != seen.looks) torn = true;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(torn.load());
  EXPECT_EQ(sensor.looks(), looked.load() + 1);
  EXPECT_EQ(calls.load(), sensor.looks());
}

TEST(LoadSensor, OfTheProcessSeesThisMachine) {
  LoadSensor& sensor = process_load_sensor();
  ASSERT_TRUE(sensor.look(kStart, Files::kOpen));
  const LoadSnapshot seen = sensor.last();
  EXPECT_EQ(seen.allowed_cpus, allowed_cpus());
  if (seen.has(LoadSource::kRunnable)) {
    EXPECT_GE(seen.runnable, 1U) << "the caller";
  }
}

TEST(FileLines, LeavesOutLinesThatDoNotFitAndKeepsTheLast) {
  const std::string path = ::testing::TempDir() + "muster-lines-" + std::to_string(getpid());
  std::ofstream(path) << "one\n" << std::string(100, 'x') << "\ntwo\n\nend";
  char buffer[32];
  FileLines lines(path.c_str(), buffer, sizeof(buffer));
  std::vector<std::string> seen;
  while (const char* line = lines.next()) seen.emplace_back(line);
  fs::remove(path);
  EXPECT_EQ(seen, (std::vector<std::string>{"one", "two", "", "end"}));
}

TEST(NumberText, TakesNumbersThatFit) {
  std::uint64_t value = 0;
  const char* text = "18446744073709551615 ";
  EXPECT_TRUE(take_number(text, value));
  EXPECT_EQ(value, ~std::uint64_t{0});
  EXPECT_EQ(*text, ' ');
  for (const char* bad : {"", "-1", "x", "18446744073709551616", "99999999999999999999999"}) {
    const char* at = bad;
    EXPECT_FALSE(take_number(at, value)) << bad;
  }
  EXPECT_TRUE(number_behind("xnr 4\nnr 5\n", "nr ", value));
  EXPECT_EQ(value, 5U) << "xnr is another word";
}

}  // namespace
}  // namespace muster::test
