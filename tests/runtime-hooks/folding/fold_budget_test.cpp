// When folds are opened: the budget of MUSTER_FORKJOIN=auto.
#include "runtime-hooks/folding/fold_budget.h"

#include <gtest/gtest.h>

namespace muster::test {
namespace {

// The loss of a program that closes a fold after every `in_a_row` of its `regions`, in units of one region of the
// runtime: a fold costs one and a half and gains half a unit with each region that it serves.
double loss(FoldBudget& budget, unsigned in_a_row, unsigned regions) {
  double lost = 0;
  unsigned folded = 0;
  for (unsigned region = 1; region <= regions; ++region) {
    if (folded == 0) {
      if (!budget.allows_opening()) continue;
      lost += 1.5;
    }
    ++folded;
    lost -= 0.5;
    if (region % in_a_row == 0) {
      budget.closed_after(folded);
      folded = 0;
    }
  }
  return lost;
}

TEST(FoldBudget, LeavesTheFirstRegionsToTheRuntime) {
  FoldBudget budget;
  EXPECT_FALSE(budget.allows_opening());
  EXPECT_FALSE(budget.allows_opening());
  EXPECT_TRUE(budget.allows_opening());
}

TEST(FoldBudget, LosesLittleWhateverTheProgramDoes) {
  for (const unsigned in_a_row : {1U, 2U, 3U, 4U, 5U, 8U, 100U}) {
    FoldBudget budget;
    EXPECT_LT(loss(budget, in_a_row, 10'000), 0.02 * 10'000) << in_a_row << " in a row";
  }
}

TEST(FoldBudget, LosesLittleToOneThatLuresIt) {
  FoldBudget budget;
  double lost = 0;
  for (unsigned round = 0; round < 1000; ++round) {
    lost += loss(budget, 4, 4);
    lost += loss(budget, 1, 3);
  }
  EXPECT_LT(lost, 0.05 * 7'000);
}

TEST(FoldBudget, FoldsAgainAtOnceWhereItPays) {
  FoldBudget budget;
  EXPECT_LT(loss(budget, 100, 10'000), -0.45 * 10'000);
  EXPECT_TRUE(budget.allows_opening());
}

}  // namespace
}  // namespace muster::test
