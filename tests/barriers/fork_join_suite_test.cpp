// Halves of barriers, as fork and join use them: one suite over algorithm x policy x team size. Thread 0 is the
// primary: the others see after a release what it stored before, and after a gather it sees what they stored. The
// payload is plain memory, so ThreadSanitizer detects what is not ordered.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <random>
#include <tuple>

#include "platform/cpus.h"
#include "tests/support/team_harness.h"

namespace muster::test {
namespace {

using Combination = std::tuple<BarrierKind, WaitKind, unsigned>;

// Regions with none to two barriers inside; more episodes than a byte holds in small teams.
void hand_out_and_back(TestTeam<NativeMemory>& team, unsigned regions) {
  ASSERT_TRUE(team.made());
  const unsigned size = team.size();
  unsigned work = 0;
  std::vector<unsigned> result(size, 0);
  std::vector<std::uint64_t> wrong(size, 0);
  team.run([&](unsigned me) {
    Episode episode = 0;
    for (unsigned region = 1; region <= regions; ++region) {
      if (me == 0) work = region;
      if (!team.release(me, ++episode, kNoEpisode)) ++wrong[me];
      if (work != region) ++wrong[me];
      result[me] = work + me;
      for (unsigned barrier = 0; barrier < region % 3; ++barrier) {
        if (!team.arrive(me, ++episode)) ++wrong[me];
        for (unsigned i = 0; i < size; ++i) {
          if (result[i] != region + i) ++wrong[me];
        }
      }
      if (!team.gather(me, ++episode)) ++wrong[me];
      if (me != 0) continue;
      for (unsigned i = 0; i < size; ++i) {
        if (result[i] != region + i) ++wrong[me];
      }
    }
  });
  for (unsigned i = 0; i < size; ++i) EXPECT_EQ(wrong[i], 0U) << "thread " << i;
}

class ForkJoinSuite : public testing::TestWithParam<Combination> {
 protected:
  BarrierKind algorithm() const { return std::get<0>(GetParam()); }
  WaitKind policy() const { return std::get<1>(GetParam()); }
  unsigned size() const { return std::get<2>(GetParam()); }

  // A spinning team with more threads than CPUs makes progress only when the scheduler preempts a thread. Beside other
  // processes so does one that fits: each instance may cost it a time slice.
  bool slow() const { return spins() && size() > allowed_cpus(); }
  bool spins() const { return policy() == WaitKind::kSpin; }
  unsigned regions() const { return slow() ? 2 : spins() ? 90 : size() <= 4 ? 100 : 6; }
};

TEST_P(ForkJoinSuite, HandsWorkOutAndResultsBack) {
  TestTeam<NativeMemory> team(algorithm(), policy(), size());
  hand_out_and_back(team, regions());
}

TEST_P(ForkJoinSuite, TakesAnnouncedWorkAtOnce) {
  TestTeam<NativeMemory> team(algorithm(), policy(), size());
  team.announces = true;
  hand_out_and_back(team, regions());
}

// Like a region that ends with tasks: all threads leave the gather for the runtime's barrier, and the next release
// works for all. std::barrier stands for the runtime's.
TEST_P(ForkJoinSuite, AGatherIsCalledOffByAllOrNone) {
  if (slow()) return;  // the same code as in teams that fit
  TestTeam<NativeMemory> team(algorithm(), policy(), size());
  ASSERT_TRUE(team.made());
  std::barrier real(size());
  unsigned work = 0;
  std::vector<unsigned> result(size(), 0);
  std::vector<std::uint64_t> wrong(size(), 0);
  std::vector<unsigned> at_real(size(), 0);
  const unsigned rounds = regions() / 2;
  team.run([&](unsigned me) {
    std::minstd_rand random(me + 1);
    Episode episode = 0;
    bool told = true;  // whether the gather before was called off, or there was none
    for (unsigned region = 1; region <= rounds; ++region) {
      if (me == 0) work = region;
      const Episode gathered = episode++;
      if (!team.release(me, episode, told ? kNoEpisode : gathered)) {
        ++at_real[me];
        real.arrive_and_wait();
        if (!team.release(me, episode, kNoEpisode)) ++wrong[me];
      }
      if (work != region) ++wrong[me];
      if (random() % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
      result[me] = region;
      ++episode;
      if (region % 3 == 0 && me == region / 3 % size()) team.call_off(me, episode);
      told = !team.gather(me, episode);
      if (told) {
        ++at_real[me];
        real.arrive_and_wait();
      }
      if (me != 0) continue;
      for (unsigned i = 0; i < size(); ++i) {
        if (result[i] != region) ++wrong[me];
      }
    }
    // Threads that left the last gather without noticing the call-off.
    if (me == 0) work = rounds + 1;
    const Episode gathered = episode++;
    if (!team.release(me, episode, told ? kNoEpisode : gathered)) {
      ++at_real[me];
      real.arrive_and_wait();
      if (!team.release(me, episode, kNoEpisode)) ++wrong[me];
    }
  });
  for (unsigned i = 0; i < size(); ++i) {
    EXPECT_EQ(wrong[i], 0U) << "thread " << i;
    EXPECT_EQ(at_real[i], rounds / 3) << "thread " << i;
  }
}

// Threads that have arrived may sleep already, waiting for the release. The thread that completes a gather leaves them
// asleep, or the release finds nobody to wake.
TEST_P(ForkJoinSuite, AGatherLeavesThoseAsleepThatWaitForTheRelease) {
  if (!sleeps(policy()) || size() < 3) return;
  TestTeam<NativeMemory> team(algorithm(), policy(), size());
  ASSERT_TRUE(team.made());
  const unsigned late = size() - 1;
  std::vector<std::uint64_t> slept_at_gather(size(), 0);
  std::vector<std::uint64_t> slept_at_release(size(), 0);
  std::atomic<unsigned> gathered{0};
  const auto slept = [&](unsigned thread) { return team.stats(thread).blocks.read(); };
  team.run([&](unsigned me) {
    if (me == late) {
      for (unsigned i = 0; i < late; ++i) {
        while (slept(i) == 0) std::this_thread::yield();
      }
    }
    team.gather(me, 1);
    slept_at_gather[me] = slept(me);
    ++gathered;
    if (me == 0) {
      while (gathered < size()) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));  // for threads that are woken
      for (unsigned i = 1; i < size(); ++i) slept_at_release[i] = slept(i) - slept_at_gather[i];
    }
    team.release(me, 2, kNoEpisode);
  });
  for (unsigned i = 1; i < size(); ++i) EXPECT_LE(slept_at_release[i], 1U) << "thread " << i;
}

std::string name(const testing::TestParamInfo<Combination>& info) {
  return plain(name_of(std::get<0>(info.param))) + "_" + plain(name_of(std::get<1>(info.param))) +
         "_" + std::to_string(std::get<2>(info.param));
}

INSTANTIATE_TEST_SUITE_P(All, ForkJoinSuite,
                         testing::Combine(testing::ValuesIn(algorithms()),
                                          testing::ValuesIn(policies()), testing::Values(3U)),
                         name);
INSTANTIATE_TEST_SUITE_P(Sizes, ForkJoinSuite,
                         testing::Combine(testing::ValuesIn(algorithms()),
                                          testing::ValuesIn(kinds_of_policies()),
                                          testing::Values(1U, 2U, 4U)),
                         name);
INSTANTIATE_TEST_SUITE_P(Full, ForkJoinSuite,
                         testing::Combine(testing::ValuesIn(algorithms()),
                                          testing::ValuesIn(policies_of_full()),
                                          testing::Values(1U, 2U, 4U)),
                         name);

// Shapes that small teams do not have. Only the algorithm depends on them, so policies that sleep suffice, with which
// many threads on few CPUs make progress.
INSTANTIATE_TEST_SUITE_P(Large, ForkJoinSuite,
                         testing::Combine(testing::ValuesIn(algorithms()),
                                          testing::Values(WaitKind::kBlock, WaitKind::kAuto),
                                          testing::Values(7U, 16U, 33U)),
                         name);

}  // namespace
}  // namespace muster::test
