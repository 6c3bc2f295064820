// When `auto` assumes competitors, from gaps that were recorded under known loads (gap_traces/).
#include "waiting/competitors.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "load/competitor_average.h"
#include "platform/native_memory.h"
#include "waiting/contention.h"

namespace muster::test {
namespace {

constexpr std::uint64_t kUs = 1'000;
constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kStart = 1'000'000'000;
constexpr std::uint64_t kLength = 3'000 * kMs;

struct Gap {
  std::uint64_t begin_ns;
  std::uint64_t length_ns;
};

std::vector<Gap> recorded(const std::string& name) {
  std::ifstream file(MUSTER_GAP_TRACES "/" + name + ".txt");
  std::vector<Gap> gaps;
  std::uint64_t begin_us = 0;
  std::uint64_t length_us = 0;
  while (file >> begin_us >> length_us) gaps.push_back({kStart + begin_us * kUs, length_us * kUs});
  EXPECT_FALSE(gaps.empty()) << name;
  return gaps;
}

// Whether a competitor counted as near, for each millisecond of a recording.
std::vector<bool> near_in(const std::string& name) {
  Contention contention(WaitParameters{.team_size = 2});
  const std::vector<Gap> gaps = recorded(name);
  std::vector<bool> near;
  std::size_t next = 0;
  for (std::uint64_t now = kStart; now < kStart + kLength; now += kMs) {
    for (; next < gaps.size() && gaps[next].begin_ns + gaps[next].length_ns <= now; ++next) {
      contention.note_gap(gaps[next].begin_ns, gaps[next].begin_ns + gaps[next].length_ns);
    }
    near.push_back(contention.competitor_near(now));
  }
  return near;
}

double share(const std::vector<bool>& near, unsigned from_ms, unsigned to_ms) {
  unsigned count = 0;
  for (unsigned ms = from_ms; ms < to_ms; ++ms) count += near[ms] ? 1 : 0;
  return static_cast<double>(count) / (to_ms - from_ms);
}

unsigned changes(const std::vector<bool>& near, unsigned from_ms, unsigned to_ms) {
  unsigned count = 0;
  for (unsigned ms = from_ms + 1; ms < to_ms; ++ms) count += near[ms] != near[ms - 1] ? 1 : 0;
  return count;
}

TEST(RecordedGaps, AnIdleMachineHasFewCompetitors) {
  EXPECT_LT(share(near_in("idle"), 0, 3000), 0.25);
}

TEST(RecordedGaps, AHogIsNearAllTheTime) {
  const std::vector<bool> near = near_in("hog");
  EXPECT_GT(share(near, 50, 3000), 0.98);
  EXPECT_LE(changes(near, 200, 3000), 4U) << "no oscillation";
}

// At most 50 ms, in both directions.
TEST(RecordedGaps, AHogThatComesAndGoesIsFollowed) {
  const std::vector<bool> near = near_in("hog_for_a_second");
  EXPECT_LT(share(near, 0, 1000), 0.25);
  EXPECT_GT(share(near, 1050, 2000), 0.95);
  EXPECT_LT(share(near, 2050, 3000), 0.25);
}

// A team of eight with 100 us of work each on one CPU: a thread that has arrived misses 0.7 ms and more.
TEST(CoarseWork, IsNotTakenForACompetitor) {
  Contention contention(WaitParameters{.team_size = 8});
  Arrivals<NativeMemory> nobody(nullptr, 8);
  WaitStats stats;
  std::uint64_t now = kStart;
  Episode episode = 1;
  for (unsigned i = 0; i < 100; ++i) {
    contention.look(Wait<NativeMemory>{nobody, 0, episode, now, stats});
    contention.note_gap(now, now + 800 * kUs);
    now += 850 * kUs;
    episode += 2;  // one with work before it and one without
  }
  EXPECT_FALSE(contention.competitor_near(now));
  contention.note_gap(now, now + 3 * kMs);
  EXPECT_TRUE(contention.competitor_near(now + 3 * kMs)) << "a slice is still a slice";
}

// A competitor is noticed, however much it slows the team down.
TEST(CoarseWork, DoesNotHideACompetitor) {
  Contention contention(WaitParameters{.team_size = 8});
  Arrivals<NativeMemory> nobody(nullptr, 8);
  WaitStats stats;
  std::uint64_t now = kStart;
  for (Episode episode = 1; episode < 50; ++episode) {
    contention.look(Wait<NativeMemory>{nobody, 0, episode, now, stats});
    now += 20 * kMs;
  }
  EXPECT_TRUE(contention.note_gap(now, now + 3 * kMs));
}

TEST(CompetitorAverage, IsAnAverage) {
  CompetitorAverage average;
  EXPECT_EQ(average.count(), 0U) << "no sample yet";
  average.see(32, 16, 32);
  EXPECT_EQ(average.count(), 32U) << "the first sample is all that is known";
  average.see(0, 16, 32);
  EXPECT_EQ(average.count(), 16U);
  for (int look = 0; look < 100; ++look) average.see(1, 1, 2);
  EXPECT_EQ(average.count(), 1U) << "one CPU hog";
  for (int look = 0; look < 50; ++look) {
    average.see(2, 1, 2);
    average.see(1, 1, 2);
  }
  EXPECT_EQ(average.count(), 2U) << "a second copy, of which one thread sleeps half of the time";
  average.see(0, 1, 2);
  EXPECT_EQ(average.count(), 2U) << "one sample has little weight";
}

}  // namespace
}  // namespace muster::test
