// How long a team spins, by how its last spins ended.
#include "waiting/spin_budget.h"

#include <gtest/gtest.h>

#include "tests/support/simulated_wait.h"
#include "waiting/auto_wait.h"

namespace muster::test {
namespace {

TEST(SpinBudget, FollowsHowTheLastWaitsEnded) {
  SpinBudget budget(tuning::kSpinWithCompetitorNs);
  EXPECT_EQ(budget.ns(), tuning::kSpinWithCompetitorNs) << "nothing is known";
  budget.note(true);
  EXPECT_EQ(budget.ns(), tuning::kSpinWithCompetitorNs) << "the most";
  budget.note(false);
  EXPECT_EQ(budget.ns(), tuning::kSpinWithCompetitorNs / 2);
  for (unsigned wait = 0; wait < 100; ++wait) budget.note(false);
  EXPECT_EQ(budget.ns(), tuning::kLeastSpinNs);
  for (unsigned wait = 0; wait < 100; ++wait) budget.note(true);
  EXPECT_EQ(budget.ns(), tuning::kSpinWithCompetitorNs) << "from the least, too";
}

TEST(SpinTimes, AreShorterBesideOthersAndAsTheUserWants) {
  for (const bool between : {false, true}) {
    EXPECT_EQ(SpinTimes(false).ns(false, between), tuning::kSpinAloneNs);
    EXPECT_EQ(SpinTimes(false).ns(true, between), tuning::kSpinWithCompetitorNs);
    EXPECT_EQ(SpinTimes(true).ns(false, between), tuning::kSpinWithCompetitorNs);
  }
}

// Where regions are rare, spins for the next one only burn CPU time.
TEST(Auto, SpinsBetweenRegionsWhileThatMeetsTheNextOne) {
  constexpr std::uint64_t kShort = tuning::kSpinAloneNs / 4;
  constexpr std::uint64_t kLong = 20 * tuning::kSpinAloneNs;
  SimulatedTeam team(2);
  AutoWait policy({.team_size = 2});
  EXPECT_GE(team.wait_between_regions(policy, kShort), kShort);
  std::uint64_t spun = 0;
  for (unsigned gap = 0; gap < 40; ++gap) spun += team.wait_between_regions(policy, kLong);
  EXPECT_LE(spun / 40, tuning::kSpinAloneNs / 10);
  EXPECT_GE(team.wait_in_vain(policy), tuning::kSpinAloneNs) << "in a region as ever";
  for (unsigned gap = 0; gap < 12; ++gap) team.wait_between_regions(policy, kShort);
  EXPECT_GE(team.wait_between_regions(policy, kShort), kShort) << "they have become frequent";
}

// Whoever asks for passive waits means CPU time: in a rare region a spin costs as much as the sleep that it may save.
TEST(Auto, SpinsForNoLongerThanASleepTakesIfTheUserWantsPassiveWaits) {
  SimulatedTeam team(2);
  AutoWait policy({.team_size = 2, .settings = {.place = false, .passive = true}});
  const auto spins_for = [&](std::uint64_t ns) {
    const std::uint64_t spun = team.wait_in_vain(policy);
    EXPECT_GE(spun, ns);
    EXPECT_LE(spun, 3 * ns / 2);
  };
  spins_for(tuning::kSpinWithCompetitorNs);
  for (unsigned gap = 0; gap < 10; ++gap) team.wait_between_regions(policy, tuning::kMs);
  spins_for(tuning::kSpinPassiveNs);
  EXPECT_EQ(team.wait_between_regions(policy, tuning::kMs), 0) << "nor does it look at CPUs";
  for (unsigned gap = 0; gap < 10; ++gap)
    team.wait_between_regions(policy, tuning::kSpinWithCompetitorNs / 4);
  spins_for(tuning::kSpinWithCompetitorNs);
}

}  // namespace
}  // namespace muster::test
