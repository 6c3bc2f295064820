// Which regions a thread treats as barrier-free.
#include "runtime-hooks/teams/barrier_free_regions.h"

#include <gtest/gtest.h>

namespace muster::test {
namespace {

constexpr int kCode[4096] = {};  // functions, by their addresses

bool is_barrier_free_after(BarrierFreeRegions& regions, const void* function, unsigned runs) {
  for (unsigned i = 0; i < runs; ++i) regions.ran(function, /*met_barrier=*/false);
  return regions.is_barrier_free(function);
}

TEST(BarrierFreeRegions, IsKnownAfterSomeRunsWithoutBarriers) {
  BarrierFreeRegions regions;
  EXPECT_FALSE(regions.is_barrier_free(kCode));
  EXPECT_FALSE(is_barrier_free_after(regions, kCode, 3));
  EXPECT_TRUE(is_barrier_free_after(regions, kCode, 30));
}

TEST(BarrierFreeRegions, OneBarrierIsEnoughForEver) {
  BarrierFreeRegions regions;
  regions.ran(kCode, /*met_barrier=*/true);
  EXPECT_TRUE(regions.has_barriers(kCode));
  EXPECT_FALSE(is_barrier_free_after(regions, kCode, 100));
}

TEST(BarrierFreeRegions, ALateBarrierIsEnough) {
  BarrierFreeRegions regions;
  EXPECT_TRUE(is_barrier_free_after(regions, kCode, 30));
  regions.met_barrier(kCode);
  EXPECT_TRUE(regions.has_barriers(kCode));
  EXPECT_FALSE(is_barrier_free_after(regions, kCode, 100));
}

TEST(BarrierFreeRegions, KeepsFunctionsApart) {
  BarrierFreeRegions regions;
  EXPECT_TRUE(is_barrier_free_after(regions, kCode, 30));
  for (unsigned i = 1; i < std::size(kCode); ++i)
    EXPECT_FALSE(regions.is_barrier_free(kCode + i)) << i;
}

TEST(BarrierFreeRegions, ForgetsWhatDoesNotFit) {
  BarrierFreeRegions regions;
  for (unsigned round = 0; round < 30; ++round) {
    for (const int& code : kCode) regions.ran(&code, /*met_barrier=*/false);
  }
  for (const int& code : kCode) {
    EXPECT_FALSE(regions.is_barrier_free(&code));
    EXPECT_FALSE(regions.has_barriers(&code));
  }
}

}  // namespace
}  // namespace muster::test
