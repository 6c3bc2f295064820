#include "waiting/home_trial.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace muster::test {
namespace {

// A team that has every second turn, and passes so many barriers in each of its own.
class HomeTrialTest : public testing::Test {
 protected:
  // How many of its next turns it was at home in.
  unsigned pass(unsigned own_turns, bool competitor, Episode at_home, Episode elsewhere) {
    unsigned turns_at_home = 0;
    const auto has_competitor = [competitor] { return competitor; };
    for (unsigned i = 0; i < own_turns; ++i) {
      home_.arrive(now_, episode_, /*is_off=*/false, has_competitor);
      turns_at_home += home_.at_home() ? 1 : 0;
      episode_ += home_.at_home() ? at_home : elsewhere;
      home_.arrive(now_ + turns_tuning::kTurnNs / 2, episode_, /*is_off=*/false, has_competitor);
      now_ += turns_tuning::kTurnNs;
      home_.arrive(now_, episode_, /*is_off=*/true, has_competitor);
      now_ += turns_tuning::kTurnNs;
    }
    return turns_at_home;
  }

  std::uint64_t now_ = 1000 * turns_tuning::kTurnNs;
  Episode episode_ = 1;
  HomeTrial home_;
};

TEST_F(HomeTrialTest, StaysAtHomeWithoutCompetitors) {
  EXPECT_EQ(pass(1000, false, 1000, 4000), 1000U);
}

TEST_F(HomeTrialTest, LeavesItsCpusToCompetitorsIfThatPays) {
  EXPECT_LE(pass(100, true, 1000, 2000), 10U);
  EXPECT_EQ(pass(100, true, 1000, 2000), 0U) << "it still pays";
  EXPECT_GE(pass(1000, true, 1000, 900), 900U) << "it pays no more";
}

TEST_F(HomeTrialTest, GoesHomeWhenTheCompetitorsHaveLeft) {
  EXPECT_LE(pass(100, true, 1000, 2000), 10U);
  EXPECT_GE(pass(100, false, 4000, 2000), 99U)
      << "though it still passes more than at home beside them";
}

// A tenth of the work is the most that trying may cost.
TEST_F(HomeTrialTest, ReturnsIfItDoesNotPay) {
  EXPECT_GE(pass(1000, true, 1000, 100), 900U);
  const unsigned before = pass(1000, true, 1000, 1000);
  EXPECT_GE(before, 900U) << "no gain is not enough";
  EXPECT_LT(before, 1000U) << "it tries again: the competitors may have changed";
}

}  // namespace
}  // namespace muster::test
