// What a team's threads do when a turn between processes ends.
#include "waiting/team_turns.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/support/recorded_tree.h"
#include "tests/support/simulated_wait.h"
#include "waiting/auto_wait.h"

namespace muster::test {
namespace {

// Two processes that want the same four CPUs. The other one is always at work.
class TeamTurnsTest : public testing::Test {
 protected:
  TeamTurnsTest() : team_(4) {
    TurnRecord& other = page_->records[0];
    other.owner = 2;
    other.wants = 4;
    other.cpus[0] = 0xF;
    turns_->begin({.open_page = [](void* context) { return static_cast<TurnPage*>(context); },
                   .read_needs = [](void*, TurnNeeds& needs) { needs = {4, CpuSet::first(4)}; },
                   .context = page_.get(),
                   .id = 1});
    SimulatedMemory::cpu = 3;
  }

  static std::uint64_t end_of_turn() {
    return (SimulatedMemory::now / turns_tuning::kTurnNs + 1) * turns_tuning::kTurnNs;
  }
  void other_works() {
    page_->records[0].live_until_ns = end_of_turn() + 2 * turns_tuning::kTurnNs;
  }
  // From its first turn, which it has in any case, to one of its own before one of the other's.
  void join() {
    for (unsigned turn = 0; turn < 3 && (turn == 0 || turns_->is_off(SimulatedMemory::now));
         ++turn) {
      SimulatedMemory::now = end_of_turn();
      other_works();
      turns_->look(SimulatedMemory::now, true);
    }
    ASSERT_TRUE(turns_->in_force());
  }

  SimulatedTeam team_;
  std::unique_ptr<TurnPage> page_ = std::make_unique<TurnPage>();
  std::unique_ptr<Turns> turns_ = std::make_unique<Turns>();
};

// Threads that wait when their process's turn ends sleep until the next one. Another team's thread may be on the CPU
// that is theirs then, but for a few microseconds only.
TEST_F(TeamTurnsTest, WaitsForItsNextTurnOnTheCpuOfThatTurn) {
  AutoWait policy({.team_size = 4, .settings = {.place = true}, .turns = turns_.get()});
  join();
  SimulatedMemory::now = end_of_turn() - 500'000;
  const std::uint64_t spun = team_.wait_in_vain(policy);
  EXPECT_GE(spun, 500'000U) << "until its turn ends";
  EXPECT_LT(spun, 520'000U);
  EXPECT_EQ(SimulatedMemory::placed, 0U) << "thread 0 has the first CPU";
}

// Twice as many barriers where the kernel puts the threads. That is tried if somebody who takes no turns has had a CPU
// for long while there were more threads than CPUs.
TEST_F(TeamTurnsTest, IsLeftToTheKernelWhereThatPaysBesideACompetitor) {
  for (const bool gaps : {false, true}) {
    for (const int runnable : {1, 9}) {
      RecordedTree tree("v2-one-cpu", [] { return SimulatedMemory::cpus; });
      tree.write("proc/loadavg", "0.1 0.1 0.1 " + std::to_string(runnable) + "/99 999\n");
      AutoWait policy({.team_size = 4,
                       .settings = {.place = true},
                       .load_sensor = tree.sensor.get(),
                       .turns = turns_.get()});
      join();
      Episode episode = 0;
      bool goes_home = true;
      for (unsigned turn = 0; turn < 40; ++turn) {
        const std::uint64_t end = end_of_turn();
        bool released = false;
        unsigned polls = 0;
        const auto done = [&] {
          if (gaps && polls == 1) SimulatedMemory::now += 2'500'000;
          return polls++ == 2;
        };
        team_.wait(policy, done, released);
        for (; SimulatedMemory::now < end; SimulatedMemory::now += 500'000) {
          policy.arrives<SimulatedMemory>(0, episode += goes_home ? 1 : 2, team_.stats());
        }
        other_works();
        SimulatedMemory::placed = kNoCpu;
        policy.arrives<SimulatedMemory>(0, episode, team_.stats());
        goes_home = SimulatedMemory::placed != kNoCpu;
      }
      EXPECT_EQ(goes_home, !gaps || runnable == 1) << gaps << ' ' << runnable;
    }
  }
}

}  // namespace
}  // namespace muster::test
