// Idle and stolen time in texts of /proc/stat.
#include "platform/idle_time.h"

#include <gtest/gtest.h>

#include <string>

#include "platform/cpus.h"

namespace muster::test {
namespace {

constexpr std::uint64_t kStep = kCpuTimesStepNs;

const char* const kText =
    "cpu  100 0 100 1000 7 0 0 90 0 0\n"
    "cpu0 50 0 50 300 3 0 0 40 0 0\n"
    "cpu1 50 0 50 500 4 0 0 50 0 0\n"
    "cpu3 0 0 0 200 0 0 0 0 0 0\n"
    "intr 12345 1 2\n";

AffinityMask first_two() {
  AffinityMask mask = AffinityMask::only(0);
  mask.set(1);
  return mask;
}

TEST(IdleTime, IsTakenFromTheAllowedCpus) {
  const SumOfTimes both = sum_of_times_in(kText, first_two(), kNoCpu);
  EXPECT_EQ(both.cpus, 2U);
  EXPECT_EQ(both.idle_ns, 800 * kStep);
  EXPECT_EQ(both.stolen_ns, 90 * kStep);
  const SumOfTimes one = sum_of_times_in(kText, first_two(), 0);
  EXPECT_EQ(one.cpus, 1U);
  EXPECT_EQ(one.idle_ns, 500 * kStep);
  EXPECT_EQ(one.stolen_ns, 50 * kStep);
  EXPECT_EQ(sum_of_times_in(kText, AffinityMask::only(2), kNoCpu).cpus, 0U);
}

TEST(IdleTime, IsUnknownWhereTheTextIsNoTimes) {
  for (const char* text : {"", "\n", "cpu", "cpu0", "cpux 1 2 3 4\n", "cpu0 1 2 3\n",
                           "cpu0  1 2 3 4\n", "cpu99999999999 1 2 3 4\n", "intr 1\n"}) {
    const SumOfTimes sum = sum_of_times_in(text, first_two(), kNoCpu);
    EXPECT_EQ(sum.cpus, 0U) << text;
    EXPECT_EQ(sum.idle_with_half_of_stolen_ns(), kIdleTimeUnknown) << text;
  }
}

TEST(IdleTime, IsKnownWhereStolenTimeIsNot) {
  for (const char* text : {"cpu1 1 2 3 4\n", "cpu1 1 2 3 4 5 6 7\n", "cpu1 1 2 3 4 5 6 7 x\n"}) {
    bool has_stolen = true;
    EXPECT_EQ(
        visit_cpu_times_in(text, [&](const CpuTimes& times) { has_stolen = times.has_stolen; }),
        1U);
    EXPECT_FALSE(has_stolen) << text;
    EXPECT_EQ(sum_of_times_in(text, first_two(), kNoCpu).idle_with_half_of_stolen_ns(), 4 * kStep);
  }
}

// The question of placement, about a second: was a CPU idle for half of it?
bool is_idle(const std::string& after, unsigned except = kNoCpu) {
  const std::string before = "cpu0 0 0 0 1000 0 0 0 1000\ncpu1 0 0 0 1000 0 0 0 1000\n";
  constexpr std::uint64_t kWindowNs = 100 * kStep;
  const auto sum = [&](const std::string& text) {
    return sum_of_times_in(text.c_str(), first_two(), except).idle_with_half_of_stolen_ns();
  };
  return (sum(after) - sum(before)) * 2 > kWindowNs;
}

TEST(IdleTime, StolenTimeIsNeitherIdleNorBusy) {
  // CPU 1 alone: idle and stolen steps.
  EXPECT_TRUE(is_idle("cpu1 0 0 0 1060 0 0 0 1000\n", 0));
  EXPECT_FALSE(is_idle("cpu1 0 0 0 1040 0 0 0 1000\n", 0));
  EXPECT_TRUE(is_idle("cpu1 0 0 0 1040 0 0 0 1060\n", 0)) << "all of what the host gave";
  EXPECT_TRUE(is_idle("cpu1 0 0 0 1030 0 0 0 1050\n", 0)) << "30 of 50";
  EXPECT_FALSE(is_idle("cpu1 0 0 0 1020 0 0 0 1050\n", 0)) << "20 of 50";
  EXPECT_FALSE(is_idle("cpu1 0 0 0 1000 0 0 0 1060\n", 0))
      << "in use for all of what the host gave";
  EXPECT_FALSE(is_idle("cpu1 0 0 0 1000 0 0 0 1100\n", 0)) << "stolen all the time";
}

TEST(IdleTime, SeveralCpusAreNotIdleBecauseEachIsStolen) {
  EXPECT_FALSE(is_idle("cpu0 0 0 0 1000 0 0 0 1060\ncpu1 0 0 0 1000 0 0 0 1060\n"));
  EXPECT_FALSE(is_idle("cpu0 0 0 0 1000 0 0 0 1100\ncpu1 0 0 0 1000 0 0 0 1100\n"));
  EXPECT_TRUE(is_idle("cpu0 0 0 0 1000 0 0 0 1060\ncpu1 0 0 0 1040 0 0 0 1060\n"))
      << "CPU 1 for all of what the host gave";
}

TEST(IdleTime, OfThisMachineIsReadOrNotedAsMissing) {
  unsigned cpus = 0;
  const long read = visit_cpu_times(Files::kOpen, kCpuTimesFile, [&](const CpuTimes&) { ++cpus; });
  if (read < 0) GTEST_SKIP() << "no /proc here";
  EXPECT_EQ(read, cpus);
  EXPECT_GE(cpus, 1U);
  EXPECT_EQ(visit_cpu_times(Files::kOpen, "/nonexistent", [](const CpuTimes&) {}), -ENOENT);
  EXPECT_EQ(visit_cpu_times(Files::kOpen, kCpuTimesFile,
                            [](const CpuTimes&) {
                              EXPECT_EQ(visit_cpu_times(Files::kOpen, kCpuTimesFile,
                                                        [](const CpuTimes&) {}),
                                        -EBUSY);
                            }),
            read);
}

}  // namespace
}  // namespace muster::test
