// Gang scheduling in the simulated SMP, by hand.
#include "sim/smp/gang.h"

#include <gtest/gtest.h>

#include "tests/sim/smp_script.h"

namespace muster::smp {
namespace {

Scene scene(unsigned processors, Time slice, std::vector<std::int64_t> weights = {},
            Time context_switch = 0) {
  return Scene({processors, context_switch, 0}, std::make_unique<Gang>(slice, weights));
}

Scene packed(unsigned processors, bool pack, bool fill) {
  return Scene({processors, 0, 0},
               std::make_unique<Gang>(10, std::vector<std::int64_t>{}, pack, fill));
}

TEST(Gang, JobsTakeTurnsOnAllProcessors) {
  Scene two = scene(2, 10);
  two.thread({compute(15)}, 0);
  two.thread({compute(15)}, 0);
  two.thread({compute(12)}, 1);
  two.thread({compute(4)}, 1);
  // 0-10 job 0; 10-20 job 1, whose second thread ends at 14: its processor stays idle; and so on.
  EXPECT_EQ(two.run(),
            "0:0@0 0:1@1 10:0- 10:1- 10:2@0 10:3@1 14:3- 20:2- 20:0@0 20:1@1 25:0- 25:1- 25:2@0 "
            "27:2-");
}

TEST(Gang, WeightsAreTurnsOfThatLength) {
  Scene one = scene(1, 10, {1, 3});
  one.thread({compute(kNever)}, 0);
  one.thread({compute(kNever)}, 1);
  one.run(400);
  EXPECT_EQ(one.threads[0]->computed, 100);
  EXPECT_EQ(one.threads[1]->computed, 300);
}

TEST(Gang, TheOnlyJobGoesOn) {
  Scene one = scene(1, 10, {}, 5);
  one.thread({compute(35)}, 3);
  EXPECT_EQ(one.run(), "5:0@0 40:0-");
}

TEST(Gang, AJobThatComesWhenAllAreDoneHasItsTurnAtOnce) {
  Scene one = scene(1, 10);
  one.thread({compute(4)}, 0);
  Task& soon = one.machine.make_task(1, std::make_unique<Script>(std::vector{compute(12)}));
  Task& late = one.machine.make_task(2, std::make_unique<Script>(std::vector{compute(15)}));
  Task& later = one.machine.make_task(3, std::make_unique<Script>(std::vector{compute(3)}));
  one.machine.arrive({&soon}, 6);
  one.machine.arrive({&late}, 40);
  one.machine.arrive({&later}, 41);
  // Job 1's turn is not cut short at 10, when job 0's would have ended; job 2's is at 50.
  EXPECT_EQ(one.run(), "0:0@0 4:0- 6:1@0 18:1- 40:2@0 50:2- 50:3@0 53:3- 53:2@0 58:2-");
}

TEST(Gang, AThreadThatWakesOutsideItsTurnWaitsForIt) {
  Scene two = scene(2, 10);
  two.thread({block(3), compute(2)}, 0);
  two.thread({compute(15)}, 1);
  // Job 0's turn begins; its thread sleeps from 0 to 3 and ends at 5, and so does the turn.
  EXPECT_EQ(two.run(), "0:0@0 0:0- 3:0@0 5:0- 5:1@0 20:1-");
  Scene late = scene(2, 10);
  late.thread({block(13), compute(2)}, 0);
  late.thread({compute(15)}, 1);
  EXPECT_EQ(late.run(), "0:0@0 0:0- 10:1@0 20:1- 20:0@0 22:0- 22:1@0 27:1-");
}

TEST(Gang, MoreThreadsThanProcessors) {
  Scene one = scene(1, 100);
  one.thread({compute(5), yield(), compute(5)}, 0);
  one.thread({compute(3)}, 0);
  EXPECT_EQ(one.run(), "0:0@0 5:0- 5:1@0 8:1- 8:0@0 13:0-");
}

// Two jobs of one thread share a turn on two processors, that of two threads has one of its own. The first is
// done at 22; its processor is idle until the other one is done at 25, which ends the turn.
TEST(Gang, AJobThatFitsSharesATurn) {
  Scene three = packed(2, true, false);
  three.thread({compute(12)}, 0);
  three.thread({compute(15)}, 1);
  three.thread({compute(13)}, 2);
  three.thread({compute(13)}, 2);
  EXPECT_EQ(
      three.run(),
      "0:0@0 0:1@1 10:0- 10:1- 10:2@0 10:3@1 20:2- 20:3- 20:0@0 20:1@1 22:0- 25:1- 25:3@1 25:2@0 "
      "28:2- 28:3-");
}

// Three threads that come while a turn is shared by jobs with a lower and a higher number do not fit beside them:
// not even the processor that is idle is theirs before their turn, which is at 20.
TEST(Gang, AJobThatComesDuringASharedTurnWaits) {
  Scene three = packed(3, true, false);
  three.thread({compute(25)}, 0);
  three.thread({compute(25)}, 2);
  std::vector<Task*> late;
  for (int i = 0; i < 3; ++i) {
    late.push_back(&three.machine.make_task(1, std::make_unique<Script>(std::vector{compute(8)})));
  }
  three.machine.arrive(late, 5);
  // The turn after theirs is shared again.
  EXPECT_EQ(
      three.run(),
      "0:0@0 0:1@1 10:1- 20:0- 20:2@0 20:3@1 20:4@2 28:2- 28:3- 28:4- 28:0@0 28:1@1 33:0- 43:1-");
}

// What does not fit keeps those after it from sharing: turns go on in order.
TEST(Gang, OnlyNeighboursShare) {
  Scene three = packed(2, true, false);
  three.thread({compute(5)}, 0);
  three.thread({compute(5)}, 1);
  three.thread({compute(5)}, 1);
  three.thread({compute(5)}, 2);
  EXPECT_EQ(three.run(), "0:0@0 5:0- 5:1@0 5:2@1 10:2- 10:1- 10:3@0 15:3-");
}

// The other job has the second processor all the time, and the first while the thread whose turn it is sleeps,
// from 5 to 8. From 10 on it is the other way round.
TEST(Gang, OthersFillWhatIsIdle) {
  Scene two = packed(2, false, true);
  two.thread({compute(5), block(3), compute(7)}, 0);
  two.thread({compute(20)}, 1);
  two.thread({compute(12)}, 1);
  EXPECT_EQ(two.run(), "0:0@0 0:1@1 5:0- 5:2@0 8:2- 8:0@0 10:0- 10:2@0 19:2- 19:0@0 20:1- 24:0-");
}

// Of two that fill, the one whose turn comes first is before the other.
TEST(Gang, JobsThatFillATurnAreRanked) {
  Scene three = packed(1, false, true);
  three.thread({block(12), compute(4)}, 0);
  three.thread({block(3), compute(4)}, 1);
  three.thread({compute(8)}, 2);
  // Job 2 fills from 0 on, job 1 takes the processor at 3 and ends at 7; job 2 ends at 12, and so on.
  EXPECT_EQ(three.run(), "0:0@0 0:0- 0:1@0 0:1- 0:2@0 3:2- 3:1@0 7:1- 7:2@0 12:2- 12:0@0 16:0-");
}

}  // namespace
}  // namespace muster::smp
