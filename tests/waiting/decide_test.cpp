// The pure decisions of `auto`, over all observations: what a waiting thread does next, and where a team should run.
#include "waiting/decide.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "waiting/place.h"

namespace muster::test {
namespace {

constexpr bool kBoth[] = {false, true};
constexpr Absent kAbsent[] = {Absent::kElsewhere, Absent::kPerhapsHere, Absent::kHere};
constexpr Place kPlaces[] = {Place::kAnywhere, Place::kOneCpu, Place::kOwnCpus};
constexpr Verdict kVerdicts[] = {Verdict::kOpen, Verdict::kPays, Verdict::kFails};

void for_each_observation(const std::function<void(const Observation&)>& body) {
  for (const Absent absent : kAbsent)
    for (const bool competitor : kBoth)
      for (const bool dear_yield : kBoth)
        for (const bool real_time : kBoth)
          for (const bool time_is_up : kBoth)
            body({absent, competitor, dear_yield, real_time, time_is_up});
}

void for_each_place(const std::function<void(Place, const PlaceObservation&)>& body) {
  for (const Place place : kPlaces)
    for (const Verdict trial : kVerdicts)
      for (unsigned bits = 0; bits < 1U << 12; ++bits)
        for (const unsigned cpus : {1U, tuning::kMostCpus, tuning::kMostCpus + 1}) {
          const auto bit = [bits](unsigned number) { return (bits >> number & 1) != 0; };
          PlaceObservation now;
          now.fits = bit(0);
          now.competitor = bit(1);
          now.takes_turns = bit(2);
          now.crowded = bit(3);
          now.one_cpu_quota = bit(4);
          now.alone = bit(5);
          now.may_move = bit(6);
          now.cpu_idle = bit(7);
          now.may_try = bit(8);
          now.fine_grained = bit(9);
          now.apart_is_fair = bit(10);
          now.preempted = bit(11);
          now.cpus = cpus;
          now.trial = trial;
          body(place, now);
        }
}

// The table of docs/understand/waiting.md: a row for each kind of situation, "any" where a column makes no difference.
struct Row {
  const char* situation;
  std::function<bool(const Observation&)> applies;
  Step step;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> kRows = {
      {"the spin time is over", [](const Observation& now) { return now.time_is_up; },
       Step::kBlock},
      {"no absent teammate is on this CPU",
       [](const Observation& now) { return now.absent == Absent::kElsewhere; }, Step::kPoll},
      {"one is, or may be; no competitor, no real-time policy, no long slice on the team's only "
       "CPU",
       [](const Observation& now) { return !now.competitor && !now.real_time && !now.dear_yield; },
       Step::kYield},
      {"one may be, and a yield would cost a time slice or be useless",
       [](const Observation& now) { return now.absent == Absent::kPerhapsHere; }, Step::kPoll},
      {"one is, and a yield would cost a time slice or be useless",
       [](const Observation&) { return true; }, Step::kBlock},
  };
  return kRows;
}

const char* name_of(Step step) {
  constexpr const char* kNames[] = {"poll", "yield", "block"};
  return kNames[static_cast<int>(step)];
}

TEST(Decide, IsWhatTheTableSays) {
  std::string table = "| situation | step |\n|---|---|\n";
  for (const Row& row : rows()) {
    table += std::string("| ") + row.situation + " | " + name_of(row.step) + " |\n";
  }
  std::puts(table.c_str());
  std::ifstream page(MUSTER_WAITING_PAGE);
  const std::string text{std::istreambuf_iterator<char>(page), std::istreambuf_iterator<char>()};
  EXPECT_NE(text.find(table), std::string::npos) << "put this table into the page";
  unsigned seen = 0;
  for_each_observation([&](const Observation& now) {
    ++seen;
    for (const Row& row : rows()) {
      if (!row.applies(now)) continue;
      EXPECT_EQ(decide(now), row.step) << row.situation;
      break;
    }
  });
  EXPECT_EQ(seen, 48U);
}

TEST(Decide, KeepsWhatMustHoldWhateverTheTable) {
  for_each_observation([](const Observation& now) {
    const Step step = decide(now);
    if (now.time_is_up) {
      EXPECT_EQ(step, Step::kBlock) << "it would spin for ever";
    }
    if (step == Step::kYield) {
      EXPECT_FALSE(now.competitor) << "a yield costs a time slice";
      EXPECT_FALSE(now.real_time) << "a yield lets no thread of lower priority run";
      EXPECT_FALSE(now.dear_yield) << "a teammate that polls for messages has all the turns";
    }
    if (step == Step::kPoll) {
      EXPECT_NE(now.absent, Absent::kHere) << "it keeps the teammate from running";
    }
  });
}

TEST(Decide, ASpinDelaysCompetitorsAndThreadsOfLowerPriority) {
  for_each_observation([](const Observation& now) {
    EXPECT_EQ(spin_delays_others(now), now.competitor || now.real_time);
  });
}

TEST(NextPlace, KeepsWhatMustHold) {
  for_each_place([](Place place, const PlaceObservation& now) {
    const Place after = next(place, now);
    if (after == Place::kAnywhere) return;
    EXPECT_TRUE(now.may_move) << "the program places its threads";
    if (after == Place::kOneCpu && now.one_cpu_quota && !now.fits) return;
    EXPECT_FALSE(now.cpu_idle) << "the kernel has a CPU for a thread";
    if (after == Place::kOwnCpus) {
      EXPECT_TRUE(now.fits) << "two threads would share a CPU";
      EXPECT_TRUE(now.apart_is_fair) << "the team would take more than its share";
      EXPECT_TRUE(now.fine_grained || (now.crowded && now.cpus > tuning::kMostCpus))
          << "one CPU may be as good";
      EXPECT_TRUE(now.fine_grained || now.preempted) << "another team may run while it sleeps";
    } else {
      EXPECT_LE(now.cpus, tuning::kMostCpus);
      EXPECT_TRUE(!now.fits || (now.crowded && !now.fine_grained)) << "each has a CPU to itself";
      EXPECT_TRUE(place == after || now.competitor) << "nobody is in the way";
      EXPECT_TRUE(place == after || !now.fits || !now.takes_turns) << "the kernel has done it";
    }
    if (place == after) {
      EXPECT_NE(now.trial, Verdict::kFails);
    } else {
      EXPECT_EQ(place, Place::kAnywhere) << "from one trial into the next";
      EXPECT_TRUE(now.may_try) << "beyond the budget";
    }
  });
}

// Half a CPU while the team is apart, 7/8 otherwise.
TEST(NextPlace, LeavesCompetitorsTheirShare) {
  for (const unsigned cpus : {2U, 3U, 8U, 64U}) {
    for (const unsigned threads : {2U, (cpus + 2) / 2, cpus}) {
      for (unsigned competitors = 1; competitors <= 2 * cpus; ++competitors) {
        const unsigned all = threads + competitors;
        constexpr unsigned kLooks = 10'000;
        unsigned apart = 0;
        for (unsigned look = 0; look < kLooks; ++look)
          apart += is_fair_apart(look * tuning::kMs, all, cpus) ? 1 : 0;
        const double part = static_cast<double>(apart) / kLooks;
        const double share = std::min(0.875, static_cast<double>(cpus) / all);
        EXPECT_GE(part * 0.5 + (1 - part) * 0.875, share - 0.01)
            << threads << " " << competitors << " " << cpus;
        if (threads == cpus && competitors >= cpus) {
          EXPECT_EQ(part, 1) << "none has more than half a CPU";
        }
      }
    }
  }
}

TEST(NextPlace, IsReachedAndLeft) {
  unsigned changes[3][3] = {};
  for_each_place([&](Place place, const PlaceObservation& now) {
    ++changes[static_cast<int>(place)][static_cast<int>(next(place, now))];
  });
  EXPECT_GT(changes[0][1], 0U);
  EXPECT_GT(changes[0][2], 0U);
  EXPECT_GT(changes[1][0], 0U);
  EXPECT_GT(changes[1][1], 0U);
  EXPECT_GT(changes[2][0], 0U);
  EXPECT_GT(changes[2][2], 0U);
  EXPECT_EQ(changes[1][2], 0U);
}

TEST(NextPlace, AThreadLeavesItsCpuOnlyIfNothingElseRuns) {
  for_each_place([](Place place, const PlaceObservation& now) {
    if (!should_leave_cpu(place, now)) return;
    EXPECT_TRUE(now.alone && now.fits && now.takes_turns && now.may_move);
    EXPECT_EQ(place, Place::kAnywhere);
  });
}

}  // namespace
}  // namespace muster::test
