// One suite over algorithm x policy x team size. The payload is plain memory: a barrier that releases a thread early,
// or that does not order its stores, causes a wrong value here and a data race under ThreadSanitizer.
#include <gtest/gtest.h>

#include <barrier>
#include <random>
#include <tuple>

#include "platform/cpus.h"
#include "tests/support/team_harness.h"

namespace muster::test {
namespace {

using Combination = std::tuple<BarrierKind, WaitKind, unsigned>;

class BarrierSuite : public testing::TestWithParam<Combination> {
 protected:
  BarrierKind algorithm() const { return std::get<0>(GetParam()); }
  WaitKind policy() const { return std::get<1>(GetParam()); }
  unsigned size() const { return std::get<2>(GetParam()); }

  // A spinning team with more threads than CPUs makes progress only when the scheduler preempts a thread. Beside other
  // processes so does one that fits: each instance may cost it a time slice.
  bool slow() const { return spins() && size() > allowed_cpus(); }
  bool spins() const { return policy() == WaitKind::kSpin; }
  Episode episodes() const { return slow() ? 2 : spins() ? 60 : size() <= 4 ? 300 : 30; }
};

TEST_P(BarrierSuite, OrdersPlainMemory) {
  TestTeam<NativeMemory> team(algorithm(), policy(), size());
  ASSERT_TRUE(team.made());
  std::vector<std::uint64_t> payload(size(), 0);
  std::vector<std::uint64_t> wrong(size(), 0);
  const Episode rounds = episodes();
  team.run([&](unsigned me) {
    for (Episode round = 1; round <= rounds; ++round) {
      payload[me] = round * 1000 + me;
      if (!team.arrive(me, 2 * round - 1)) ++wrong[me];
      for (unsigned other = 0; other < size(); ++other) {
        if (payload[other] != round * 1000 + other) ++wrong[me];
      }
      if (!team.arrive(me, 2 * round)) ++wrong[me];
    }
  });
  for (unsigned i = 0; i < size(); ++i) {
    EXPECT_EQ(wrong[i], 0U) << "thread " << i;
    EXPECT_EQ(team.stats(i).barriers.read(), 2 * rounds) << "thread " << i;
  }
}

// More episodes than a byte holds, so that dist-counter's cells wrap around: once, or several times.
TEST_P(BarrierSuite, GoesOnPastTheWrapOfAByte) {
  if (size() > 4 || slow()) return;  // the same code as in smaller teams
  TestTeam<NativeMemory> team(algorithm(), policy(), size());
  ASSERT_TRUE(team.made());
  std::uint64_t shared = 0;
  const Episode episodes = spins() ? 300 : 1100;
  std::vector<std::uint64_t> wrong(size(), 0);
  team.run([&](unsigned me) {
    for (Episode episode = 1; episode <= episodes; ++episode) {
      if (episode % size() == me) ++shared;  // one writer an episode
      if (!team.arrive(me, episode)) ++wrong[me];
    }
  });
  EXPECT_EQ(shared, episodes);
  for (const std::uint64_t count : wrong) EXPECT_EQ(count, 0U);
}

// Now and then a thread calls its next instance off before it arrives: all threads leave that instance and no other.
// std::barrier stands for the runtime's barrier.
TEST_P(BarrierSuite, IsCalledOffByAllOrNone) {
  if (slow()) return;  // the same code as in teams that fit
  TestTeam<NativeMemory> team(algorithm(), policy(), size());
  ASSERT_TRUE(team.made());
  std::barrier real(size());
  const Episode rounds = episodes() / 2;
  std::vector<std::uint64_t> wrong(size(), 0);
  std::vector<std::uint64_t> payload(size(), 0);
  team.run([&](unsigned me) {
    std::minstd_rand random(me + 1);
    for (Episode episode = 1; episode <= rounds; ++episode) {
      const bool called_off = episode % 3 == 0;
      const unsigned creator = static_cast<unsigned>(episode / 3 % size());
      if (random() % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
      if (called_off && me == creator) team.call_off(me, episode);
      payload[me] = episode;
      const bool released = team.arrive(me, episode);
      if (released == called_off) ++wrong[me];
      if (!released) real.arrive_and_wait();
      for (const std::uint64_t value : payload) {
        if (value < episode) ++wrong[me];
      }
      real.arrive_and_wait();
    }
  });
  for (unsigned i = 0; i < size(); ++i) EXPECT_EQ(wrong[i], 0U) << "thread " << i;
}

TEST_P(BarrierSuite, CountsAsThePolicyWaits) {
  if (size() == 1 || slow()) return;  // no thread waits, or without a limit
  TestTeam<NativeMemory> team(algorithm(), policy(), size());
  ASSERT_TRUE(team.made());
  const Episode rounds = episodes();
  team.run([&](unsigned me) {
    for (Episode episode = 1; episode <= rounds; ++episode) team.arrive(me, episode);
  });
  WaitStats sum;
  for (unsigned i = 0; i < size(); ++i) team.stats(i).add_to(sum);
  EXPECT_EQ(sum.barriers.read(), rounds * size());
  EXPECT_LE(sum.spins_succeeded.read(), sum.spins_begun.read());
  EXPECT_LE(sum.wakeups.read(), sum.blocks.read());
  std::uint64_t waits = 0;
  for (const Tally& bucket : sum.histogram) waits += bucket.read();
  EXPECT_EQ(waits, sum.barriers.read() - sum.arrived_last.read());
  switch (policy()) {
    case WaitKind::kSpin:
    case WaitKind::kYield:
      EXPECT_EQ(sum.blocks.read(), 0U);
      EXPECT_EQ(sum.wake_calls.read(), 0U);
      EXPECT_EQ(sum.spins_begun.read(), sum.spins_succeeded.read());
      EXPECT_EQ(sum.spins_begun.read(), waits);
      break;
    case WaitKind::kBlock:
      EXPECT_EQ(sum.spins_begun.read(), 0U);
      EXPECT_EQ(sum.histogram[0].read(), 0U);
      break;
    default:
      break;
  }
}

std::string name(const testing::TestParamInfo<Combination>& info) {
  return plain(name_of(std::get<0>(info.param))) + "_" + plain(name_of(std::get<1>(info.param))) +
         "_" + std::to_string(std::get<2>(info.param));
}

INSTANTIATE_TEST_SUITE_P(All, BarrierSuite,
                         testing::Combine(testing::ValuesIn(algorithms()),
                                          testing::ValuesIn(policies()), testing::Values(2U, 3U)),
                         name);
INSTANTIATE_TEST_SUITE_P(Sizes, BarrierSuite,
                         testing::Combine(testing::ValuesIn(algorithms()),
                                          testing::ValuesIn(kinds_of_policies()),
                                          testing::Values(1U, 4U, 7U, 16U, 33U)),
                         name);
INSTANTIATE_TEST_SUITE_P(Full, BarrierSuite,
                         testing::Combine(testing::ValuesIn(algorithms()),
                                          testing::ValuesIn(policies_of_full()),
                                          testing::Values(1U, 4U, 7U, 16U, 33U)),
                         name);

class LargeTeam : public testing::TestWithParam<BarrierKind> {};

TEST_P(LargeTeam, OfTheMostThreads) {
  TestTeam<NativeMemory> team(GetParam(), WaitKind::kBlock, kMaxTeam);
  ASSERT_TRUE(team.made());
  std::vector<std::uint64_t> payload(kMaxTeam, 0);
  std::vector<std::uint64_t> wrong(kMaxTeam, 0);
  team.run([&](unsigned me) {
    for (Episode episode = 1; episode <= 3; episode += 2) {
      payload[me] = episode;
      team.arrive(me, episode);
      for (const std::uint64_t value : payload) {
        if (value != episode) ++wrong[me];
      }
      team.arrive(me, episode + 1);
    }
  });
  for (const std::uint64_t count : wrong) EXPECT_EQ(count, 0U);
}

INSTANTIATE_TEST_SUITE_P(All, LargeTeam, testing::ValuesIn(algorithms()),
                         [](const auto& of) { return plain(name_of(of.param)); });

}  // namespace
}  // namespace muster::test
