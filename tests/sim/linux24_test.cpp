// Linux 2.4's rules (Tsafrir and Feitelson, appendix A), each by a schedule worked out by hand. Switches and
// interrupts take no time unless a test is about them; a tick is 1.
#include "sim/smp/linux24.h"

#include <gtest/gtest.h>

#include "tests/sim/smp_script.h"

namespace muster::smp {
namespace {

Linux24Rules rules(WakeUp wake_up = WakeUp::kOriginal) {
  Linux24Rules out;
  out.tick = 1;
  out.wake_up = wake_up;
  return out;
}

Scene scene(unsigned processors, const Linux24Rules& with = rules(), Time context_switch = 0,
            Time interrupt_delay = 0) {
  return Scene({processors, context_switch, interrupt_delay}, std::make_unique<Linux24>(with));
}

std::uint64_t epochs(const Scene& of) {
  return static_cast<const Linux24&>(*of.scheduler).epochs();
}

TEST(Linux24, AThreadRunsUntilItsAllocationIsUsedUp) {
  Scene one = scene(1);
  one.thread({compute(30)}, 0);
  one.thread({compute(30)}, 1);
  // 20 ticks each, then an epoch: 20 more each; whoever ran last here goes on among equals.
  EXPECT_EQ(one.run(), "0:0@0 20:0- 20:1@0 50:1- 50:0@0 60:0-");
}

TEST(Linux24, ANewEpochKeepsHalfTheRest) {
  Scene one = scene(1);
  Task& sleeper = one.thread({compute(4), block(20), block()}, 0);
  one.thread({compute(100)}, 1);
  // 0 runs 4, has 16 left. 1 runs 20 ticks to 24, when 0 wakes with 16: it blocks again at once. Then
  // nobody who could run has any left: an epoch, 0 gets 16 / 2 + 20.
  one.run(30);
  EXPECT_EQ(epochs(one), 1);
  EXPECT_EQ(Linux24::counter(sleeper), 28);
}

TEST(Linux24, NeverMoreThanTwiceTheDefault) {
  Scene one = scene(1);
  Task& sleeper = one.thread({block()}, 0);
  one.thread({compute(kNever)}, 1);
  one.run(999);
  EXPECT_EQ(epochs(one), 49);                // one every 20 ticks
  EXPECT_EQ(Linux24::counter(sleeper), 39);  // 39 / 2 + 20 again
}

TEST(Linux24, AWokenThreadPreemptsOneWithLessLeft) {
  Scene one = scene(1);
  one.thread({block(10), compute(5)}, 0);
  one.thread({compute(18)}, 1);
  // At 10 the sleeper has 20, the other 10: more than the threshold of 1 better.
  EXPECT_EQ(one.run(), "0:0@0 0:0- 0:1@0 10:1- 10:0@0 15:0- 15:1@0 23:1-");
}

TEST(Linux24, ButNotByTheThresholdAlone) {
  Scene one = scene(1);
  one.thread({block(1), compute(5)}, 0);
  one.thread({compute(18)}, 1);
  // At 1 the other has 19 (the tick came first), 1 less; and the address space is its own, 1 more.
  EXPECT_EQ(one.run(), "0:0@0 0:0- 0:1@0 18:1- 18:0@0 23:0-");
}

TEST(Linux24, ChangingTheProcessorCostsFifteenTicks) {
  // Thread 0 was on processor 0, where 2 runs now, who has used nothing up; on processor 1, thread 1 has
  // used up n ticks.
  for (const auto& [used, moves] : {std::pair{12, false}, {19, true}}) {
    Scene two = scene(2);
    two.thread({compute(1), block(used - 1), compute(1)}, 0);
    two.thread({compute(40)}, 1);
    two.thread({block(used - 1), compute(40)}, 2);
    const std::string text = two.run(used + 5);
    EXPECT_EQ(text.find(":0@1") != std::string::npos, moves) << used << ": " << text;
  }
}

TEST(Linux24, TheAddressSpaceDecidesAmongEquals) {
  Scene one = scene(1);
  one.thread({compute(10)}, 7);
  one.thread({compute(10)}, 8);
  one.thread({compute(10)}, 7);
  // 2 before 1: it shares 0's address space.
  EXPECT_EQ(one.run(), "0:0@0 10:0- 10:2@0 20:2- 20:1@0 30:1-");
}

// Two sleepers that both ran on processor 0 last are woken at once by who runs on processor 1, when
// processors 0 and 2 are idle; waking takes a moment to be seen.
std::string wake_two(WakeUp wake_up) {
  Linux24Rules with = rules(wake_up);
  with.tick = 100;
  Scene three = scene(3, with, 2, 1);
  three.thread({block(), compute(20)}, 0);
  three.thread({compute(30), wakes({0, 2}), compute(60)}, 1);
  Task& other = three.thread({block(), compute(20)}, 0);
  three.machine.at(20, [&three, &other] {
    three.threads[0]->processor = 0;
    other.processor = 0;
  });
  three.run();
  return three.recorder.text;
}

TEST(Linux24, TheOriginalWakeUpGivesBothTheSameProcessor) {
  // 0 gets processor 0 though processor 2 is idle; 2 comes after it.
  EXPECT_EQ(wake_two(WakeUp::kOriginal),
            "3:0@0 3:0- 3:1@1 3:2@2 3:2- 36:2@0 56:2- 58:0@0 78:0- 93:1-");
}

TEST(Linux24, ApAndGvGiveEachItsOwn) {
  for (const WakeUp wake_up : {WakeUp::kAp, WakeUp::kGv}) {
    const std::string text = wake_two(wake_up);
    EXPECT_NE(text.find("36:0@"), std::string::npos) << text;
    EXPECT_NE(text.find("36:2@"), std::string::npos) << text;
  }
}

TEST(Linux24, GvPairsForTheWholeWhereApTakesEachInTurn) {
  // Thread 0 (30 left) would take processor 1's weaker runner; so would thread 1 (20 left), for whom it is
  // the only one. AP gives it to 0, who comes first, although 0 is good enough for the other one, too; GV
  // looks at the pairs. What is checked here is that both are served by GV when both can be.
  Linux24Rules with = rules(WakeUp::kGv);
  with.proc_change_penalty = 0;
  with.same_address_space_bonus = 0;
  Scene four = scene(2, with);
  four.thread({block(15), compute(3)}, 0);
  four.thread({block(15), compute(3)}, 1);
  four.thread({compute(19)}, 2);
  four.thread({compute(19)}, 3);
  EXPECT_EQ(four.run().find("15:0@") != std::string::npos, true);
  EXPECT_NE(four.recorder.text.find("15:1@"), std::string::npos) << four.recorder.text;
}

TEST(Linux24, AnIdleProcessorIsFoundBeforeABusyOne) {
  Scene two = scene(2);
  two.thread({block(5), compute(3)}, 0);
  two.thread({compute(18)}, 1);
  EXPECT_NE(two.run().find("5:0@"), std::string::npos) << two.recorder.text;
  EXPECT_EQ(two.threads[1]->was_ready, 0);
}

TEST(Linux24, TicksAreTakenFromTheRunningThreadOrFromOneThatHasRunForATick) {
  // It runs for half of every tick, never when the clock ticks.
  for (const Accounting accounting : {Accounting::kSampled, Accounting::kExact}) {
    Linux24Rules with = rules();
    with.tick = 10;
    with.accounting = accounting;
    Scene one = scene(1, with);
    std::vector<Act> acts;
    for (int i = 0; i < 10; ++i) {
      acts.push_back(compute(5));
      acts.push_back(block(5));
    }
    acts.push_back(block());
    Task& task = one.thread(acts, 0);
    one.thread({block(200)}, 1);
    one.run(150);
    EXPECT_EQ(Linux24::counter(task), accounting == Accounting::kSampled ? 20 : 15);
  }
}

TEST(Linux24, TheTickAtAnIntervalsEndIsTakenFromItsThread) {
  Scene one = scene(1);
  Task& task = one.thread({compute(4), block()}, 0);
  one.thread({compute(kNever)}, 1);
  one.run(10);
  EXPECT_EQ(Linux24::counter(task), 16);
  EXPECT_EQ(Linux24::counter(*one.threads[1]), 14);
}

TEST(Linux24, TicksWithinASwitchAreTakenFromWhomItLeaves) {
  // From idleness to 0 at 0, 0 runs from 6 to 10, the switch to 1 is over at 16, and 1 has run for 3 at 19.
  struct Left {
    Switching switching;
    int first;
    int second;
  };
  for (const Left& left :
       {Left{Switching::kPrevious, 20 - 4 - 6, 20 - 3},
        Left{Switching::kNext, 20 - 6 - 4, 20 - 6 - 3}, Left{Switching::kNobody, 20 - 4, 20 - 3}}) {
    Linux24Rules with = rules();
    with.switching = left.switching;
    Scene one = scene(1, with, 6);
    Task& first = one.thread({compute(4), block()}, 0);
    Task& second = one.thread({compute(kNever)}, 1);
    one.run(19);
    EXPECT_EQ(Linux24::counter(first), left.first);
    EXPECT_EQ(Linux24::counter(second), left.second);
  }
}

TEST(Linux24, AThreadUsedUpWhileItIsLeftNeedsAnEpoch) {
  // It runs for 17 ticks from 6 on, is woken at 24 and has none left at 26, while the switch to 1 goes on.
  // When 1 blocks at 29, an epoch is needed. It runs from 35 to 40, and is being left at 45.
  Scene one = scene(1, rules(), 6);
  Task& task = one.thread({compute(17), block(1), compute(5), block()}, 0);
  one.thread({block()}, 1);
  one.run(45);
  EXPECT_EQ(epochs(one), 1);
  EXPECT_EQ(one.recorder.text, "6:0@0 23:0- 29:1@0 29:1- 35:0@0 40:0-");
  EXPECT_EQ(Linux24::counter(task), 20 - 5 - 5);
}

}  // namespace
}  // namespace muster::smp
