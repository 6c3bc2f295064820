// Which regions a thread takes for quiet.
#include "runtime-hooks/teams/quiet_regions.h"

#include <gtest/gtest.h>

namespace muster::test {
namespace {

constexpr int kCode[4096] = {};  // functions, by their addresses

bool is_quiet_after(QuietRegions& regions, const void* function, unsigned runs) {
  for (unsigned i = 0; i < runs; ++i) regions.ran(function, /*met_barrier=*/false);
  return regions.is_quiet(function);
}

TEST(QuietRegions, IsQuietAfterSomeRunsWithoutBarriers) {
  QuietRegions regions;
  EXPECT_FALSE(regions.is_quiet(kCode));
  EXPECT_FALSE(is_quiet_after(regions, kCode, 3));
  EXPECT_TRUE(is_quiet_after(regions, kCode, 30));
}

TEST(QuietRegions, OneBarrierIsEnoughForEver) {
  QuietRegions regions;
  regions.ran(kCode, /*met_barrier=*/true);
  EXPECT_TRUE(regions.has_barriers(kCode));
  EXPECT_FALSE(is_quiet_after(regions, kCode, 100));
}

TEST(QuietRegions, ALateBarrierIsEnough) {
  QuietRegions regions;
  EXPECT_TRUE(is_quiet_after(regions, kCode, 30));
  regions.was_not_quiet(kCode);
  EXPECT_TRUE(regions.has_barriers(kCode));
  EXPECT_FALSE(is_quiet_after(regions, kCode, 100));
}

TEST(QuietRegions, KeepsFunctionsApart) {
  QuietRegions regions;
  EXPECT_TRUE(is_quiet_after(regions, kCode, 30));
  for (unsigned i = 1; i < std::size(kCode); ++i) EXPECT_FALSE(regions.is_quiet(kCode + i)) << i;
}

TEST(QuietRegions, ForgetsWhatItHasNoRoomFor) {
  QuietRegions regions;
  for (unsigned round = 0; round < 30; ++round) {
    for (const int& code : kCode) regions.ran(&code, /*met_barrier=*/false);
  }
  for (const int& code : kCode) {
    EXPECT_FALSE(regions.is_quiet(&code));
    EXPECT_FALSE(regions.has_barriers(&code));
  }
}

}  // namespace
}  // namespace muster::test
