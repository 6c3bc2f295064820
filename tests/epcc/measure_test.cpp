// The method: how often and how long a benchmark's body is run, and which runs count.
#include "epcc/measure.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace epcc {
namespace {

using std::chrono::microseconds;

// A body is a plain function, so what these ones see goes here.
std::vector<long> runs;

void microsecond_each(const Work& work) {
  runs.push_back(work.repetitions);
  const auto end = std::chrono::steady_clock::now() + microseconds(work.repetitions);
  while (std::chrono::steady_clock::now() < end) {
  }
}

// The same, but every other run loses its CPU for a while.
void interrupted_every_other_time(const Work& work) {
  microsecond_each(work);
  if (runs.size() % 2 == 1) std::this_thread::sleep_for(microseconds(5000));
}

constexpr Settings kSettings{.outer_repetitions = 4, .test_time_us = 300};

TEST(Measure, DoublesThenDiscardsOneRunThenTimes) {
  runs.clear();
  const Timing timing = measure(microsecond_each, kSettings);
  const long enough = timing.inner_repetitions;
  ASSERT_LE(enough, 320);  // 10 * 2^5 is the first above 300; fewer only if really interrupted

  std::vector<long> expected;
  for (long repetitions = 10; repetitions <= enough; repetitions *= 2) {
    expected.insert(expected.end(), 2, repetitions);
  }
  expected.insert(expected.end(), 1 + 4, enough);
  EXPECT_EQ(runs, expected);
  EXPECT_EQ(timing.time_us.size, 4U);
  EXPECT_GE(timing.time_us.min, 1.0);  // of one repetition, in microseconds
}

TEST(Measure, AnInterruptedRunDoesNotEndTheDoubling) {
  // On a busy machine the other run may be interrupted as well.
  long most = 0;
  for (int i = 0; i < 100 && most <= 10; ++i) {
    runs.clear();
    most = measure(interrupted_every_other_time, kSettings).inner_repetitions;
  }
  EXPECT_GT(most, 10);
}

}  // namespace
}  // namespace epcc
