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

TEST(Gang, WhoComesWhenAllAreDoneHasItsTurnAtOnce) {
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

TEST(Gang, WhoWakesOutsideItsTurnWaitsForIt) {
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

}  // namespace
}  // namespace muster::smp
