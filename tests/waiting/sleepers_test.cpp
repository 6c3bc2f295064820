// Who counts as asleep: not a thread that was woken, even before it runs.
#include "waiting/sleepers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/recorded_tree.h"
#include "tests/support/simulated_wait.h"
#include "waiting/sleep_word.h"

namespace muster::test {
namespace {

// As a look sees it.
class SleepersTest : public testing::Test {
 protected:
  unsigned asleep() { return tree_.look(now_ns_ += 2 * LoadSensor::kLookEveryNs).team_asleep; }
  LoadSensor* sensor() { return tree_.sensor.get(); }

 private:
  RecordedTree tree_{"v2-one-cpu"};
  std::uint64_t now_ns_ = 5'000'000'000;
};

TEST_F(SleepersTest, AreAwakeOnceSomebodyWakesThem) {
  Sleepers sleepers;
  sleepers.wake_all().are_awake();
  sleepers.wake_one();
  for (int thread = 0; thread < 3; ++thread) sleepers.fall_asleep(sensor());
  EXPECT_EQ(asleep(), 3U);
  sleepers.wake_one();
  EXPECT_EQ(asleep(), 2U);
  const Sleepers::Woken woken = sleepers.wake_all();
  EXPECT_EQ(asleep(), 2U) << "the kernel wakes one after another";
  sleepers.fall_asleep(sensor());
  woken.are_awake();
  EXPECT_EQ(asleep(), 1U) << "one sleeps again";
  sleepers.wake_all().are_awake();
  EXPECT_EQ(asleep(), 0U);
  sleepers.wake_one();
  EXPECT_EQ(asleep(), 0U) << "it has been counted";
}

TEST_F(SleepersTest, AtAWordThatManyThreadsSleepAt) {
  constexpr unsigned kThreads = 4;
  SleepWord<NativeMemory> word;
  std::atomic<bool> released{false};
  std::vector<WaitStats> stats(kThreads + 1);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      word.sleep_until([&] { return released.load(std::memory_order_acquire); }, stats[i],
                       /*full_fences=*/true, sensor());
    });
  }
  while (asleep() != kThreads) std::this_thread::yield();
  word.wake(stats[kThreads], /*full_fences=*/true);
  // Their condition does not hold: they sleep again.
  while (asleep() != kThreads) std::this_thread::yield();
  released.store(true, std::memory_order_release);
  word.wake(stats[kThreads], /*full_fences=*/true);
  EXPECT_EQ(asleep(), 0U) << "before any of them runs";
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(asleep(), 0U);
}

TEST_F(SleepersTest, ThatReturnByThemselves) {
  SleepWord<SimulatedMemory> word;
  WaitStats stats;
  unsigned checks = 0;
  unsigned seen_asleep = 0;
  word.sleep_until(
      [&] {
        seen_asleep += asleep();
        return ++checks == 6;
      },
      stats, /*full_fences=*/true, sensor());
  EXPECT_EQ(seen_asleep, 0U);
}

}  // namespace
}  // namespace muster::test
