// How much of the CPUs' time other processes used, with simulated clocks.
#include "runtime-hooks/runtimes/yields/other_cpu_time.h"

#include <gtest/gtest.h>

namespace muster::test {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

class OtherCpuTimes : public testing::Test {
 protected:
  // Some milliseconds pass, in which this process has `own` CPUs and `idle` are idle.
  bool pass(std::uint64_t ms, double own, double idle) {
    clocks_.wall_ns += ms * kMs;
    clocks_.own_ns += static_cast<std::uint64_t>(own * static_cast<double>(ms * kMs));
    clocks_.unused_ns += static_cast<std::uint64_t>(idle * static_cast<double>(ms * kMs));
    return ask();
  }
  bool ask() {
    return times_.others_ran(clocks_.wall_ns, [&] {
      ++reads_;
      return clocks_;
    });
  }

  CpuClocks clocks_{.wall_ns = 5'000 * kMs, .cpus = 2};
  OtherCpuTime times_;
  unsigned reads_ = 0;
};

TEST_F(OtherCpuTimes, NothingIsKnownBeforeTheFirstWindow) {
  EXPECT_FALSE(ask());
  EXPECT_FALSE(pass(10, 0, 0));
}

TEST_F(OtherCpuTimes, OwnAndIdleTimeAreNotOfOthers) {
  ask();
  EXPECT_FALSE(pass(60, 2, 0));
  EXPECT_FALSE(pass(60, 0, 2));
  EXPECT_FALSE(pass(60, 1, 0.9));  // a daemon now and then
}

TEST_F(OtherCpuTimes, WhatIsLeftIsOthers) {
  ask();
  EXPECT_TRUE(pass(60, 1, 0));
  EXPECT_TRUE(pass(60, 1.7, 0));
  EXPECT_FALSE(pass(60, 1.9, 0)) << "they have left";
}

TEST_F(OtherCpuTimes, IdleTimeThatRunsAheadIsNoWonder) {
  ask();
  EXPECT_FALSE(pass(60, 1, 1.2));  // it comes in steps of 10 ms
}

TEST_F(OtherCpuTimes, ReadsOnceAWindow) {
  for (int i = 0; i < 1000; ++i) pass(1, 1, 0);
  EXPECT_GE(reads_, 15U);
  EXPECT_LE(reads_, 21U);
}

TEST_F(OtherCpuTimes, ALongTimeAgoIsNotNow) {
  ask();
  EXPECT_TRUE(pass(60, 1, 0));
  EXPECT_FALSE(pass(60'000, 1, 0));
  EXPECT_TRUE(pass(60, 1, 0));
}

TEST_F(OtherCpuTimes, UnknownTimesSayNothing) {
  ask();
  clocks_.cpus = 0;
  EXPECT_FALSE(pass(60, 0, 0));
  clocks_.cpus = 2;
  EXPECT_FALSE(pass(60, 0, 0)) << "nothing to compare with";
  EXPECT_TRUE(pass(60, 0, 0));
}

TEST_F(OtherCpuTimes, AChildBeginsAnew) {
  ask();
  EXPECT_TRUE(pass(60, 1, 0));
  times_.after_fork_in_child();
  clocks_.own_ns = 0;
  EXPECT_FALSE(pass(60, 1, 0));
  EXPECT_TRUE(pass(60, 1, 0));
}

}  // namespace
}  // namespace muster::test
