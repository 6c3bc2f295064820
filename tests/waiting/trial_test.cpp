// The trial of a place: what it decides, and the bound on what trying may lose.
#include "waiting/trial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <random>

namespace muster::test {
namespace {

constexpr std::uint64_t kMs = tuning::kMs;
constexpr std::uint64_t kBirth = 5'000 * kMs;

// A team that is looked at every millisecond: `before` instances a millisecond where the kernel puts it, `after` at the
// other place, where it is whenever a trial may begin and has not failed; with set_turns() only for a part of the time.
class Life {
 public:
  void pass(unsigned ms, double before, double after) {
    for (unsigned i = 0; i < ms; ++i) {
      now_ns_ += kMs;
      if (away_) away_ms_ += 1;
      work_ += !away_ ? before : now_ns_ - moved_ns_ <= dip_ms_ * kMs ? before / 10 : after;
      stock_ += before;
      const auto episode = static_cast<Episode>(work_);
      const bool must_leave = period_ms_ != 0 && now_ns_ / kMs % period_ms_ >= turn_ms_;
      if (!away_) {
        if (!trial_.may_begin(now_ns_, episode) || must_leave) continue;
        trial_.begin(now_ns_, episode);
        away_ = true;
        moved_ns_ = now_ns_;
        ++trials_;
      } else if (trial_.judge(now_ns_, episode, must_leave) == Verdict::kFails || must_leave) {
        trial_.forget();
        away_ = false;
      }
      worst_ = std::max(worst_, lost_share());
    }
  }

  // For so long after a move the team does a tenth of what it did before.
  void set_dip(unsigned ms) { dip_ms_ = ms; }
  // The team may be away for `turn_ms` of each period.
  void set_turns(unsigned period_ms, unsigned turn_ms) {
    period_ms_ = period_ms;
    turn_ms_ = turn_ms;
  }

  bool away() const { return away_; }
  unsigned away_ms() const { return away_ms_; }
  unsigned trials() const { return trials_; }
  // Of the team's life, by work: the regret.
  double lost_share() const { return now_ns_ < kBirth + 50 * kMs ? 0 : (stock_ - work_) / stock_; }
  double worst() const { return worst_; }

 private:
  Trial trial_;
  std::uint64_t now_ns_ = kBirth;
  double work_ = 0;
  double stock_ = 0;
  double worst_ = 0;
  bool away_ = false;
  std::uint64_t moved_ns_ = 0;
  unsigned dip_ms_ = 0;
  unsigned period_ms_ = 0;
  unsigned turn_ms_ = 0;
  unsigned away_ms_ = 0;
  unsigned trials_ = 0;
};

TEST(Trial, KeepsAPlaceThatPays) {
  Life life;
  life.pass(1'000, 10, 30);
  EXPECT_TRUE(life.away());
  EXPECT_EQ(life.trials(), 1U);
  EXPECT_GE(life.away_ms(), 970U) << "from the first window on";
}

TEST(Trial, NotBeforeTheRateIsKnown) {
  Life life;
  life.pass(24, 10, 30);
  EXPECT_EQ(life.trials(), 0U);
}

TEST(Trial, NotAgainBeforeItMayLoseAsMuch) {
  Life life;
  life.pass(199, 10, 1);
  EXPECT_EQ(life.trials(), 1U);
}

TEST(Trial, LeavesAPlaceThatDoesNotPay) {
  Life life;
  life.pass(20'000, 10, 8);
  EXPECT_FALSE(life.away());
  EXPECT_GE(life.trials(), 3U) << "the load may have changed";
  EXPECT_LE(life.away_ms(), 1'000U);
}

TEST(Trial, OutlastsABadBeginningInTheEnd) {
  Life life;
  life.set_dip(15);
  life.pass(3'000, 10, 20);
  EXPECT_TRUE(life.away());
  EXPECT_EQ(life.trials(), 3U) << "which may lose 5, 10 and 20 ms";
}

TEST(Trial, LeavesAPlaceThatPaysNoMore) {
  Life life;
  life.pass(1'000, 10, 30);
  life.pass(200, 10, 5);
  EXPECT_FALSE(life.away());
}

TEST(Trial, InTurnsGoesOnWhereItPaysAndSeldomTriesWhereItDoesNot) {
  Life pays;
  pays.set_turns(90, 50);
  pays.pass(9'000, 10, 30);
  EXPECT_GE(pays.away_ms(), 4'900U) << "of 5,000";
  Life fails;
  fails.set_turns(90, 50);
  fails.pass(9'000, 10, 10.5);
  EXPECT_LE(fails.trials(), 10U) << "of a hundred turns";
}

TEST(Trial, ATeamThatMakesNoHeadwayTriesToo) {
  Life life;
  life.pass(500, 0, 100);
  EXPECT_TRUE(life.away());
}

// The rule itself: whatever the rates are, and however they change, at most a tenth is lost, plus one look and one
// instance.
TEST(Trial, NeverLosesMoreThanATenth) {
  std::mt19937 random(22);
  std::uniform_real_distribution<double> exponent(0, 3);
  for (int life_number = 0; life_number < 2'000; ++life_number) {
    const double before = std::pow(10, exponent(random));
    Life life;
    if (life_number % 2 != 0) life.set_turns(90, 50);
    for (int phase = 0; phase < 5; ++phase) {
      const auto length_ms = static_cast<unsigned>(20 + random() % 2'000);
      life.pass(length_ms, before,
                std::pow(10, exponent(random) - static_cast<double>(random() % 3)));
    }
    EXPECT_LE(life.worst(), 0.1 + (1 + 1 / before) / 50) << "life " << life_number;
  }
}

TEST(Trial, SurvivesAClockThatGoesBack) {
  Trial trial;
  trial.may_begin(kBirth, 1);
  ASSERT_TRUE(trial.may_begin(kBirth + 200 * kMs, 1'000));
  trial.begin(kBirth + 200 * kMs, 1'000);
  EXPECT_EQ(trial.judge(kBirth, 1'000, false), Verdict::kFails);
  trial.forget();
  EXPECT_FALSE(trial.may_begin(kBirth / 2, 2'000));
  EXPECT_FALSE(trial.may_begin(kBirth / 2 + 20 * kMs, 2'300)) << "its life begins anew";
  EXPECT_TRUE(trial.may_begin(kBirth / 2 + 500 * kMs, 7'000));
}

// The thread that decides may still be at an instance before the one at which a teammate began the window.
TEST(Trial, AnEarlierInstanceIsNoHeadway) {
  Trial trial;
  trial.may_begin(kBirth, 100);
  EXPECT_TRUE(trial.may_begin(kBirth + 25 * kMs, 99)) << "the rate is known: none";
  EXPECT_TRUE(trial.may_begin(kBirth + 50 * kMs, 5'100));
  trial.begin(kBirth + 50 * kMs, 5'100);
  EXPECT_EQ(trial.judge(kBirth + 54 * kMs, 5'099, false), Verdict::kOpen) << "4 ms are lost";
  EXPECT_EQ(trial.judge(kBirth + 56 * kMs, 5'099, false), Verdict::kFails) << "5 ms may be";
}

TEST(Trial, AnEarlierInstanceGainsNothing) {
  Trial trial;
  trial.may_begin(kBirth, 100);
  ASSERT_TRUE(trial.may_begin(kBirth + 25 * kMs, 110));
  trial.begin(kBirth + 25 * kMs, 110);
  EXPECT_EQ(trial.judge(kBirth + 50 * kMs, 109, true), Verdict::kFails);
}

// One instance in a year, then a thousand million at once, and the other way round: no product wraps.
TEST(Trial, RatesOfAllSizes) {
  constexpr std::uint64_t kYear = 365ULL * 24 * 3'600 * 1'000 * kMs;
  Trial faster;
  faster.may_begin(kBirth, 1);
  ASSERT_TRUE(faster.may_begin(kBirth + kYear, 2));
  faster.begin(kBirth + kYear, 2);
  EXPECT_EQ(faster.judge(kBirth + kYear + 25 * kMs, 1'000'000'000, false), Verdict::kPays);
  Trial slower;
  slower.may_begin(kBirth, 1);
  ASSERT_TRUE(slower.may_begin(kBirth + 25 * kMs, 1'000'000'000));
  slower.begin(kBirth + 25 * kMs, 1'000'000'000);
  EXPECT_EQ(slower.judge(kBirth + 25 * kMs + kYear, 1'000'000'001, false), Verdict::kFails);
}

// A gain of a tenth is asked for, at 100 ns and at 10 ms an instance.
TEST(Trial, ATenthAtAnyGrain) {
  for (const Episode before : {250'000ULL, 1'000ULL, 10ULL}) {
    for (const unsigned percent : {109U, 110U, 111U, 120U}) {
      Trial trial;
      trial.may_begin(kBirth, 1);
      ASSERT_TRUE(trial.may_begin(kBirth + 25 * kMs, 1 + before));
      trial.begin(kBirth + 25 * kMs, 1 + before);
      const Episode after = 1 + before + before * percent / 100;
      const bool gains = 10 * (before * percent / 100) > 11 * before;
      EXPECT_EQ(trial.judge(kBirth + 50 * kMs, after, true),
                gains ? Verdict::kPays : Verdict::kFails)
          << before << " instances, " << percent << " %";
    }
  }
}

TEST(Trial, RaisesNoFloatingPointException) {
  std::feclearexcept(FE_ALL_EXCEPT);
  Trial trial;
  const volatile Episode begin = 3;  // not known to the compiler
  trial.may_begin(kBirth, begin);
  EXPECT_TRUE(trial.may_begin(kBirth + 30 * kMs, 10));
  trial.begin(kBirth + 30 * kMs, 10);
  EXPECT_EQ(trial.judge(kBirth + 41 * kMs, 17, false), Verdict::kOpen);
  EXPECT_EQ(trial.judge(kBirth + 43 * kMs, 9, false), Verdict::kFails);
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), 0);
}

}  // namespace
}  // namespace muster::test
