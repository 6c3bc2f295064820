// What a team's threads do when a turn between processes ends.
#include "waiting/team_turns.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/unit/simulated_wait.h"
#include "waiting/auto_wait.h"

namespace muster::test {
namespace {

// Threads that wait when their process's turn ends sleep until the next one. Another team's thread may be on the CPU
// that is theirs then, but for a few microseconds only.
TEST(TeamTurns, WaitsForItsNextTurnOnTheCpuOfThatTurn) {
  SimulatedTeam team(4);
  auto page = std::make_unique<TurnPage>();
  TurnRecord& other = page->records[0];
  other.owner = 2;
  other.wants = 4;
  other.cpus[0] = 0xF;
  auto turns = std::make_unique<Turns>();
  turns->begin({.open_page = [](void* context) { return static_cast<TurnPage*>(context); },
                .read_needs = [](void*, TurnNeeds& needs) { needs = {4, CpuSet::first(4)}; },
                .context = page.get(),
                .id = 1});
  AutoWait policy({.team_size = 4, .settings = {.place = true}, .turns = turns.get()});
  SimulatedMemory::cpu = 3;
  const auto end_of_turn = [] {
    return (SimulatedMemory::now / turns_tuning::kTurnNs + 1) * turns_tuning::kTurnNs;
  };
  // From its first turn, which it has in any case, to one of its own before one of the other's.
  for (unsigned turn = 0; turn < 3 && (turn == 0 || turns->is_off(SimulatedMemory::now)); ++turn) {
    SimulatedMemory::now = end_of_turn();
    other.live_until_ns = end_of_turn() + 2 * turns_tuning::kTurnNs;
    turns->look(SimulatedMemory::now, true);
  }
  ASSERT_TRUE(turns->in_force());
  SimulatedMemory::now = end_of_turn() - 500'000;
  const std::uint64_t spun = team.wait_in_vain(policy);
  EXPECT_GE(spun, 500'000U) << "until its turn ends";
  EXPECT_LT(spun, 520'000U);
  EXPECT_EQ(SimulatedMemory::placed, 0U) << "thread 0 has the first CPU";
}

}  // namespace
}  // namespace muster::test
