// A team whose size changes back and forth.
#include <gtest/gtest.h>

#include "runtime-hooks/teams/accounting.h"
#include "runtime-hooks/teams/team.h"

namespace muster::test {
namespace {

// A runtime without functions: the answers to the team are then unknown.
struct OneTeam {
  Runtime runtime;
  ThreadState state;
  Team* team = Team::acquire(runtime, state);
  ~OneTeam() { Team::release(team, state); }

  Member* join(unsigned size, unsigned thread = 0) {
    PassReason reason = PassReason::kNoMemory;
    return team->join(size, thread, reason);
  }
};

std::uint64_t barriers_of_pairs() {
  std::uint64_t sum = 0;
  const TeamTotals& totals = collect_totals();
  for (unsigned i = 0; i < 2; ++i) sum += totals.by_thread[i].barriers.read();
  return sum;
}

TEST(TeamSizes, TheStateOfTheLastFewIsKept) {
  OneTeam one;
  Member* const pair = one.join(2);
  ASSERT_NE(pair, nullptr);
  pair->episode = 7;
  Member* const others[] = {one.join(3), one.join(4), one.join(5)};
  EXPECT_EQ(one.join(2), pair);
  EXPECT_EQ(pair->episode, 7U);
  EXPECT_EQ(one.join(3), others[0]);
  EXPECT_EQ(one.join(5), others[2]);
  EXPECT_EQ(one.team->size(), 5U);
}

TEST(TeamSizes, TheOneNotUsedForLongestIsReplaced) {
  OneTeam one;
  Member* const pair = one.join(2);
  Member* const three = one.join(3);
  ASSERT_NE(pair, nullptr);
  pair->stats.barriers.add(11);
  const std::uint64_t before = barriers_of_pairs();
  for (const unsigned size : {4U, 5U, 3U, 6U}) EXPECT_NE(one.join(size), nullptr);
  EXPECT_EQ(one.join(3), three);
  // The counts of its members are kept, and a new pair starts at 0.
  EXPECT_EQ(barriers_of_pairs(), before);
  EXPECT_EQ(one.join(2)->stats.barriers.read(), 0U);
  EXPECT_EQ(one.join(2)->episode, 0U);
  EXPECT_EQ(barriers_of_pairs(), before);
}

TEST(TeamSizes, ATeamOfOneIsNotReplacedNorForgetsTheOthers) {
  OneTeam one;
  Member* const pair = one.join(2);
  EXPECT_EQ(one.join(1), nullptr);
  EXPECT_EQ(one.join(2), pair);
}

}  // namespace
}  // namespace muster::test
