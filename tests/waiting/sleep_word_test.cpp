// Waiting alone: the sleep word, the histogram.
#include "waiting/sleep_word.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <thread>

#include "barriers/registry.h"
#include "waiting/agreed_bits.h"

namespace muster::test {
namespace {

TEST(SleepWord, MakesNoSystemCallWhileNoThreadSleeps) {
  struct NoCalls : NativeMemory {
    static void wake_all(Atomic<std::uint32_t>&) {
      ADD_FAILURE() << "a wake call without a sleeper";
    }
  };
  SleepWord<NoCalls> word;
  WaitStats stats;
  for (int i = 0; i < 1000; ++i) word.wake(stats);
  EXPECT_EQ(stats.wake_calls.read(), 0U);
}

// Two threads pass a number back and forth, each asleep until it is its turn: one lost wake-up and the test hangs.
// Signals at some kHz interrupt sleeps with EINTR.
template <class Memory>
void hand_back_and_forth(unsigned turns) {
  struct sigaction ignore{};
  ignore.sa_handler = [](int) {};
  sigaction(SIGUSR1, &ignore, nullptr);

  SleepWord<Memory> words[2];
  std::atomic<unsigned> turn{0};
  const auto play = [&](unsigned me) {
    WaitStats stats;
    for (unsigned mine = me; mine < turns; mine += 2) {
      words[me].sleep_until([&] { return turn.load(std::memory_order_acquire) == mine; }, stats);
      turn.store(mine + 1, std::memory_order_release);
      words[1 - me].wake(stats);
    }
  };
  std::thread first(play, 0U);
  std::thread second(play, 1U);
  while (turn.load(std::memory_order_relaxed) + 10 < turns) {
    pthread_kill(first.native_handle(), SIGUSR1);
    pthread_kill(second.native_handle(), SIGUSR1);
    std::this_thread::sleep_for(std::chrono::microseconds(300));
  }
  first.join();
  second.join();
  EXPECT_EQ(turn.load(), turns);
}

TEST(SleepWord, LosesNoWakeUpUnderSignals) { hand_back_and_forth<NativeMemory>(20'000); }

// If membarrier was never available both fences are full ones.
TEST(SleepWord, LosesNoWakeUpByFullFences) {
  register_fences();
  const FenceMode before = g_fence_mode.exchange(FenceMode::kSymmetric);
  EXPECT_TRUE(heavy_fence());
  hand_back_and_forth<NativeMemory>(20'000);
  g_fence_mode.store(before);
}

// If it is denied later, the heavy fence returns false, and sleeps are short.
TEST(SleepWord, GoesOnWithoutTheHeavyFence) {
  struct Denied : NativeMemory {
    static bool heavy_fence() { return false; }
  };
  hand_back_and_forth<Denied>(5'000);
}

// Counts the fences of a thread that waits until it is woken and then wakes another.
struct CountedFences : NativeMemory {
  static inline unsigned light, heavy, full;
  static inline std::uint32_t* told;
  static void light_fence() { ++light; }
  static bool heavy_fence() { return ++heavy != 0; }
  static void full_fence() { ++full; }
  static bool wait(Atomic<std::uint32_t>&, std::uint32_t, bool) { return (*told = 1) != 0; }
};

template <class Policy>
void wait_and_wake() {
  CountedFences::light = CountedFences::heavy = CountedFences::full = 0;
  std::uint32_t told = 0;
  CountedFences::told = &told;
  Policy policy{WaitParameters{}};
  Arrivals<CountedFences> arrivals(nullptr, 2);
  const CallOff<CountedFences> call_off;
  WaitStats stats;
  SleepWord<CountedFences> word;
  Waiter<CountedFences, Policy> waiter(policy, arrivals, call_off, 0, 1, 1, stats);
  EXPECT_TRUE(waiter.wait([&] { return told != 0; }, word));
  waiter.wake(word);
  EXPECT_TRUE(waiter.leave(true));
  EXPECT_EQ(stats.blocks.read(), 1U);
}

// The cost of a sleep and a release for each policy: `block`, whose threads sleep at every instance, no membarrier.
TEST(Waiter, FencesByItsPolicy) {
  wait_and_wake<Block>();
  EXPECT_EQ(CountedFences::heavy, 0U);
  EXPECT_EQ(CountedFences::light, 0U);
  EXPECT_EQ(CountedFences::full, 2U);
  wait_and_wake<FixedTime>();
  EXPECT_EQ(CountedFences::heavy, 1U);
  EXPECT_EQ(CountedFences::light, 1U);
  EXPECT_EQ(CountedFences::full, 0U);
}

TEST(AgreedBits, ChangeThreeInstancesLater) {
  AgreedBits<NativeMemory> agreed;
  EXPECT_EQ(agreed.at(5), 0U);
  agreed.request(kFullFences, true, 5);
  EXPECT_EQ(agreed.at(7), 0U);
  EXPECT_EQ(agreed.at(8), kFullFences);
  agreed.request(kFullFences, false, 10);  // too soon after the last change
  EXPECT_EQ(agreed.at(13), kFullFences);
  agreed.request(kFullFences, false, 11);
  EXPECT_EQ(agreed.at(13), kFullFences);
  EXPECT_EQ(agreed.at(14), 0U);
}

TEST(AgreedBits, ShareAWordAndLeaveEachOtherAlone) {
  AgreedBits<NativeMemory> agreed;
  agreed.request(kContended | kFullFences, true, 3);
  EXPECT_EQ(agreed.at(5), 0U);
  EXPECT_EQ(agreed.at(6), kContended | kFullFences);
  agreed.request(kContended, false, 9);
  EXPECT_EQ(agreed.at(11), kContended | kFullFences);
  EXPECT_EQ(agreed.at(12), kFullFences);
  agreed.request(kContended, false, 20);  // no change: does not put off the next one
  agreed.request(kContended, true, 20);
  EXPECT_EQ(agreed.at(22), kFullFences);
  EXPECT_EQ(agreed.at(23), kContended | kFullFences);
}

TEST(Histogram, BucketsAreContiguous) {
  EXPECT_EQ(wait_bucket(0), 1U);
  for (unsigned bucket = 1; bucket + 1 < kWaitBuckets; ++bucket) {
    EXPECT_EQ(wait_bucket(wait_bucket_below_ns(bucket) - 1), bucket);
    EXPECT_EQ(wait_bucket(wait_bucket_below_ns(bucket)), bucket + 1);
  }
  EXPECT_EQ(wait_bucket(~std::uint64_t{0}), kWaitBuckets - 1);
}

}  // namespace
}  // namespace muster::test
