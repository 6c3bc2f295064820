// When folds are opened: the budget of MUSTER_FORKJOIN=auto.
#include "runtime-hooks/folding/rhythm.h"

#include <gtest/gtest.h>

namespace muster::test {
namespace {

// A program that closes after every `in_a_row` regions. Of `regions`, what it loses in regions of the
// runtime's: a fold costs one and a half of them and gains half of one with each of its own.
double loss(Rhythm& rhythm, unsigned in_a_row, unsigned regions) {
  double lost = 0;
  unsigned folded = 0;
  for (unsigned region = 1; region <= regions; ++region) {
    if (folded == 0) {
      if (!rhythm.time_to_open()) continue;
      lost += 1.5;
    }
    ++folded;
    lost -= 0.5;
    if (region % in_a_row == 0) {
      rhythm.closed_after(folded);
      folded = 0;
    }
  }
  return lost;
}

TEST(Rhythm, LeavesTheFirstRegionsToTheRuntime) {
  Rhythm rhythm;
  EXPECT_FALSE(rhythm.time_to_open());
  EXPECT_FALSE(rhythm.time_to_open());
  EXPECT_TRUE(rhythm.time_to_open());
}

TEST(Rhythm, LosesLittleWhateverTheProgramDoes) {
  for (const unsigned in_a_row : {1U, 2U, 3U, 4U, 5U, 8U, 100U}) {
    Rhythm rhythm;
    EXPECT_LT(loss(rhythm, in_a_row, 10'000), 0.02 * 10'000) << in_a_row << " in a row";
  }
}

TEST(Rhythm, LosesLittleToOneThatLuresIt) {
  Rhythm rhythm;
  double lost = 0;
  for (unsigned round = 0; round < 1000; ++round) {
    lost += loss(rhythm, 4, 4);
    lost += loss(rhythm, 1, 3);
  }
  EXPECT_LT(lost, 0.05 * 7'000);
}

TEST(Rhythm, FoldsAgainAtOnceWhereItPays) {
  Rhythm rhythm;
  EXPECT_LT(loss(rhythm, 100, 10'000), -0.45 * 10'000);
  EXPECT_TRUE(rhythm.time_to_open());
}

}  // namespace
}  // namespace muster::test
