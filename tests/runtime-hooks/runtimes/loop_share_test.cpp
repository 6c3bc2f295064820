// Shares of loops with static schedules: what is computed and what is left to the runtime. That the results are the
// runtimes' is tested with these (tests/preload/static_loops.cpp).
#include "runtime-hooks/runtimes/loop_share.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "runtime-hooks/runtimes/league_share.h"

namespace muster::test {
namespace {

constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
constexpr LoopPlace kSecondOfThree{1, 3};

bool computes(Loop<std::uint32_t> loop, std::int32_t schedule, std::int32_t step,
              std::int32_t chunk, LoopPlace place = kSecondOfThree) {
  return take_share(loop, schedule, step, chunk, place);
}

bool computes_in_league(LeagueLoop<std::uint32_t> loop, std::int32_t schedule, std::int32_t step,
                        std::int32_t chunk, LoopPlace thread = kSecondOfThree) {
  return take_league_share(loop, schedule, step, chunk, kSecondOfThree, thread);
}

TEST(LoopShares, AreLeftToTheRuntimeWhereItsVersionsDiffer) {
  const Loop<std::uint32_t> loop{0, 99, 0, 0};
  const Loop<std::uint32_t> all_values{0, kMost, 0, 0};
  EXPECT_TRUE(computes(loop, kStatic, 1, 1));
  EXPECT_FALSE(computes(loop, kStatic, 1, 1, {0, 1})) << "a team of one";
  EXPECT_FALSE(computes(loop, kStatic, 0, 1));
  EXPECT_FALSE(computes(loop, kDistribute, 1, 1));
  EXPECT_FALSE(computes(loop, kStaticChunked, 1, 0));
  EXPECT_FALSE(computes(loop, kBalancedChunked, 1, 0));
  EXPECT_FALSE(computes(all_values, kStatic, 1, 1));
  EXPECT_FALSE(computes({0, kMost - 1, 0, 0}, kBalancedChunked, 1, 1, {0, 2})) << "it wraps around";
}

TEST(LoopShares, OfLeaguesAreLeftToTheRuntimeWhereItsVersionsDiffer) {
  const LeagueLoop<std::uint32_t> loop{{0, 99, 0, 0}, 0};
  const LeagueLoop<std::uint32_t> all_values{{0, kMost, 0, 0}, 0};
  EXPECT_TRUE(computes_in_league(loop, kStatic, 1, 1));
  EXPECT_TRUE(computes_in_league(loop, kStaticChunked, 1, 1));
  EXPECT_FALSE(computes_in_league(loop, kBalancedChunked, 1, 1));
  EXPECT_FALSE(computes_in_league(loop, kStaticChunked, 1, 0));
  EXPECT_FALSE(computes_in_league(loop, kStatic, 0, 1));
  EXPECT_FALSE(computes_in_league(loop, kStatic, 1, 1, {0, 1})) << "a team of one";
  EXPECT_FALSE(computes_in_league(all_values, kStatic, 1, 1));
}

// The iterations of one thread; those of `static, chunk` in all its chunks.
std::vector<int> iterations(Loop<int> loop, int upper, int step, bool chunks) {
  std::vector<int> found;
  const auto is_over = [&](int i, int end) { return step > 0 ? i > end : i < end; };
  for (; !is_over(loop.lower, upper); loop.lower += loop.stride, loop.upper += loop.stride) {
    for (int i = loop.lower; !is_over(i, loop.upper) && !is_over(i, upper); i += step)
      found.push_back(i);
    if (!chunks) break;
  }
  return found;
}

TEST(LoopShares, HaveEachIterationOnce) {
  for (const std::int32_t schedule : {kStatic, kStaticChunked, kBalancedChunked}) {
    for (const int step : {1, 3, -1, -4}) {
      for (const int trips : {1, 2, 7, 40}) {
        for (std::uint32_t threads = 2; threads < 6; ++threads) {
          const int upper = 5 + (trips - 1) * step;
          std::vector<int> all;
          int lasts = 0;
          for (std::uint32_t thread = 0; thread < threads; ++thread) {
            Loop<int> loop{5, upper, 0, 0};
            ASSERT_TRUE(take_share(loop, schedule, step, 4, LoopPlace{thread, threads}));
            const auto its = iterations(loop, upper, step, schedule == kStaticChunked);
            all.insert(all.end(), its.begin(), its.end());
            lasts += loop.last;
          }
          std::sort(all.begin(), all.end());
          EXPECT_EQ(all.size(), static_cast<std::size_t>(trips));
          EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
          EXPECT_EQ(lasts, 1);
        }
      }
    }
  }
}

}  // namespace
}  // namespace muster::test
