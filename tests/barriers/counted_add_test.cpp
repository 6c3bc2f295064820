// The updates of the central counter: each counts once, and those that failed are counted.
#include "barriers/counted_add.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

#include "platform/cpus.h"
#include "tests/support/team_harness.h"

namespace muster::test {
namespace {

using Counter = NativeMemory::Atomic<Episode>;

void in_threads(unsigned count, const std::function<void(unsigned)>& body) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i) threads.emplace_back(body, i);
  for (std::thread& thread : threads) thread.join();
}

// Repeats until an event has occurred that requires two threads to collide.
template <class Round>
bool happens_within_half_a_minute(Round&& round) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  do {
    if (round()) return true;
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

template <class Count>
void adds_once_each() {
  constexpr unsigned kThreads = 4;
  constexpr unsigned kTimes = 20'000;
  Counter counter{0};
  std::vector<std::uint8_t> seen(kThreads * kTimes + 1, 0);
  in_threads(kThreads, [&](unsigned) {
    Tally failures;
    for (unsigned i = 0; i < kTimes; ++i) {
      const Episode count = Count::add(counter, 1, failures);
      ASSERT_LE(count, kThreads * kTimes);
      ++seen[count];  // unique, if each counts once
    }
  });
  EXPECT_EQ(counter.load(std::memory_order_relaxed), kThreads * kTimes);
  EXPECT_EQ(std::count(seen.begin() + 1, seen.end(), 1), kThreads * kTimes);
}

TEST(CountedAdd, ByLoopAddsOnceEach) { adds_once_each<CountByLoop<NativeMemory>>(); }
TEST(CountedAdd, ByInstructionAddsOnceEach) { adds_once_each<CountByInstruction<NativeMemory>>(); }

// muster-test: full when two threads collide is up to the scheduler
TEST(CountedAdd, FailuresAreCountedUnderContention) {
  if (allowed_cpus() < 2) GTEST_SKIP() << "takes two CPUs";
  EXPECT_TRUE(happens_within_half_a_minute([] {
    Counter counter{0};
    std::uint64_t failed[2];
    in_threads(2, [&](unsigned me) {
      Tally failures;
      for (unsigned i = 0; i < 100'000; ++i) CountByLoop<NativeMemory>::add(counter, 1, failures);
      failed[me] = failures.read();
    });
    return failed[0] + failed[1] > 0;
  }));
}

// An interrupt between the two instructions, too, makes a store-conditional fail: now and then.
TEST(CountedAdd, FailsHardlyEverAlone) {
  constexpr unsigned kTimes = 100'000;
  Counter counter{0};
  Tally failures;
  for (unsigned i = 0; i < kTimes; ++i) CountByLoop<NativeMemory>::add(counter, 3, failures);
  EXPECT_EQ(counter.load(std::memory_order_relaxed), 3 * kTimes);
  EXPECT_LT(failures.read(), kTimes / 100);
}

std::uint64_t failed_updates(BarrierKind kind, Episode episodes) {
  TestTeam<NativeMemory> team(kind, WaitKind::kYield, 4);
  EXPECT_TRUE(team.made());
  team.run([&](unsigned me) {
    for (Episode episode = 1; episode <= episodes; ++episode) team.arrive(me, episode);
  });
  WaitStats sum;
  for (unsigned i = 0; i < team.size(); ++i) team.stats(i).add_to(sum);
  return sum.failed_updates.read();
}

// muster-test: full when two threads collide is up to the scheduler
TEST(CountedAdd, TeamsTellOfFailuresByLoopOnly) {
  if (allowed_cpus() < 2) GTEST_SKIP() << "takes two CPUs";
  EXPECT_TRUE(happens_within_half_a_minute(
      [] { return failed_updates(BarrierKind::kFetchAdd, 2'000) > 0; }));
  EXPECT_EQ(failed_updates(BarrierKind::kFetchAddXadd, 2'000), 0U);
}

// With load-reserve and store-conditional: one attempt, for each order and width.
template <std::memory_order order, class Atomic>
void adds_as_wide_as_it_is() {
  if constexpr (Reserves<Atomic>) {
    using Word = decltype(Atomic().load());
    Atomic words[3];
    constexpr Word kLast = std::numeric_limits<Word>::max();
    for (auto& each : words) each.store(kLast, std::memory_order_relaxed);
    Word before = 0;
    while (!words[1].template reserved_add<order>(3, before)) continue;
    EXPECT_EQ(before, kLast);
    EXPECT_EQ(words[0].load(std::memory_order_relaxed), kLast);
    EXPECT_EQ(words[1].load(std::memory_order_relaxed), 2U);
    EXPECT_EQ(words[2].load(std::memory_order_relaxed), kLast);
  }
}

template <class Word>
void adds_in_each_order() {
  using Atomic = NativeMemory::Atomic<Word>;
  if (!Reserves<Atomic>) GTEST_SKIP() << "this processor compares and swaps";
  adds_as_wide_as_it_is<std::memory_order_relaxed, Atomic>();
  adds_as_wide_as_it_is<std::memory_order_acquire, Atomic>();
  adds_as_wide_as_it_is<std::memory_order_release, Atomic>();
  adds_as_wide_as_it_is<std::memory_order_acq_rel, Atomic>();
  adds_as_wide_as_it_is<std::memory_order_seq_cst, Atomic>();
}

TEST(ReservedAdd, Of64Bits) { adds_in_each_order<std::uint64_t>(); }
TEST(ReservedAdd, Of32Bits) { adds_in_each_order<std::uint32_t>(); }

}  // namespace
}  // namespace muster::test
