// The simulated SMP itself, under round robin: schedules worked out by hand.
#include <gtest/gtest.h>

#include <stdexcept>

#include "sim/smp/machine.h"
#include "sim/smp/round_robin.h"
#include "tests/sim/smp_script.h"

namespace muster::smp {
namespace {

Scene scene(unsigned processors, Time context_switch, Time quantum, Time interrupt_delay = 1) {
  return Scene({processors, context_switch, interrupt_delay},
               std::make_unique<RoundRobin>(quantum));
}

TEST(SmpMachine, SwitchingTakesTimeAlsoFromAndToIdleness) {
  // 1 until the processor decides, 6 for the switch.
  Scene one = scene(1, 6, 100);
  one.thread({compute(10)});
  EXPECT_EQ(one.run(), "7:0@0 17:0-");
}

TEST(SmpMachine, RoundRobinGivesEachAQuantumInTurn) {
  Scene one = scene(1, 6, 100);
  one.thread({compute(150)});
  one.thread({compute(120)});
  // 7-107, 113-213, the rest of the first 219-269, of the second 275-295.
  EXPECT_EQ(one.run(), "7:0@0 107:0- 113:1@0 213:1- 219:0@0 269:0- 275:1@0 295:1-");
}

TEST(SmpMachine, AThreadThatIsAloneContinues) {
  Scene one = scene(1, 6, 100);
  one.thread({compute(250)});
  EXPECT_EQ(one.run(), "7:0@0 257:0-");
}

TEST(SmpMachine, RoundRobinPutsWokenThreadsLastAndPreemptsNone) {
  Scene one = scene(1, 0, 100, 0);
  one.thread({block(), compute(10)});
  one.thread({compute(20), wakes({0}), compute(20)});
  one.thread({compute(30)});
  EXPECT_EQ(one.run(), "0:0@0 0:0- 0:1@0 40:1- 40:2@0 70:2- 70:0@0 80:0-");
}

TEST(SmpMachine, WokenWhileBeingBlockedRunsTwoSwitchesLater) {
  Scene two = scene(2, 6, 1000);
  two.thread({compute(4), block(), compute(1)});      // 7 to 11, off its processor at 17
  two.thread({compute(5), wakes({0}), compute(50)});  // at 12
  // At 17 it is ready, and its processor idle: 1 to decide, 6 to switch.
  EXPECT_EQ(two.run(), "7:0@0 7:1@1 11:0- 24:0@0 25:0- 62:1-");
}

TEST(SmpMachine, AProcessorThatIsBeingSwitchedToIdlenessIsFoundForTheAwakened) {
  Scene two = scene(2, 6, 1000);
  two.thread({block(), compute(1)});                   // off processor 0 at 7
  two.thread({compute(13), wakes({0}), compute(50)});  // at 20
  two.thread({compute(4)});                            // 13 to 17, then to idleness until 23
  EXPECT_EQ(two.run(), "7:0@0 7:0- 7:1@1 13:2@0 17:2- 30:0@0 31:0- 70:1-");
}

// The thread that leaves still takes its time; the processor does not.
TEST(SmpMachine, AProcessorThatIsIdleAtOnceIsFoundAtOnce) {
  Scene two({2, 6, 1, /*idle_at_once=*/true}, std::make_unique<RoundRobin>(1000));
  two.thread({block(), compute(1)});
  two.thread({compute(13), wakes({0}), compute(50)});  // at 20
  two.thread({compute(4)});                            // 13 to 17
  EXPECT_EQ(two.run(), "7:0@0 7:0- 7:1@1 13:2@0 17:2- 27:0@0 28:0- 70:1-");

  Scene leaving({2, 6, 1, /*idle_at_once=*/true}, std::make_unique<RoundRobin>(1000));
  leaving.thread({compute(4), block(), compute(1)});      // 7 to 11, cannot run before 17
  leaving.thread({compute(5), wakes({0}), compute(50)});  // at 12
  EXPECT_EQ(leaving.run(), "7:0@0 7:1@1 11:0- 24:0@0 25:0- 62:1-");
}

TEST(SmpMachine, SpinningEndsBySignalOrTime) {
  Scene two = scene(2, 0, 1000, 0);
  Task& spinner = two.thread({spin(30), spin(30)});
  two.thread({compute(10),
              then([](Machine& machine, Task&) { machine.signal(*machine.tasks()[0]); }),
              compute(5)});
  EXPECT_EQ(two.run(), "0:0@0 0:1@1 15:1- 40:0-");  // 10, then all 30
  EXPECT_EQ(spinner.spun, 40);
  EXPECT_FALSE(spinner.signalled);
}

TEST(SmpMachine, AlsoWhereItsQuantumEndsThen) {
  Scene two = scene(2, 0, 10, 0);
  Task& spinner = two.thread({spin(10), compute(1)});
  two.thread({compute(10),
              then([](Machine& machine, Task&) { machine.signal(*machine.tasks()[0]); }),
              compute(5)});
  two.run();
  EXPECT_TRUE(spinner.signalled);
  EXPECT_EQ(spinner.spun, 10);
}

TEST(SmpMachine, ASpinIsTimeOnTheProcessorAndSignalsReachTheWaiter) {
  Scene one = scene(1, 0, 10, 0);
  Task& spinner = one.thread({spin(25)});
  one.thread({compute(12),
              then([](Machine& machine, Task&) { machine.signal(*machine.tasks()[0]); }),
              compute(3)});
  // The spinner has spun 20 when the other signals, in its second turn at 32; it finds out at 35.
  EXPECT_EQ(one.run(), "0:0@0 10:0- 10:1@0 20:1- 20:0@0 30:0- 30:1@0 35:1- 35:0@0 35:0-");
  EXPECT_EQ(spinner.spun, 20);
  EXPECT_TRUE(spinner.signalled);
}

TEST(SmpMachine, AThreadThatGivesUpHasSeenWhatHappensAtThatTime) {
  Scene two = scene(2, 0, 1000, 0);
  Task& spinner = two.thread(
      {spin(10), then([](Machine&, Task& me) { EXPECT_TRUE(me.signalled); }), compute(1)});
  two.thread({compute(4), compute(6),
              then([](Machine& machine, Task&) { machine.signal(*machine.tasks()[0]); }),
              compute(5)});
  two.run();
  EXPECT_EQ(spinner.spun, 10);
}

TEST(SmpMachine, ATimedBlockEnds) {
  Scene one = scene(1, 0, 100, 0);
  one.thread({block(50), compute(1)});
  EXPECT_EQ(one.run(), "0:0@0 0:0- 50:0@0 51:0-");
}

TEST(SmpMachine, YieldingLetsTheOthersRun) {
  Scene one = scene(1, 0, 100, 0);
  one.thread({compute(5), yield(), compute(5)});
  one.thread({compute(3)});
  EXPECT_EQ(one.run(), "0:0@0 5:0- 5:1@0 8:1- 8:0@0 13:0-");
}

TEST(SmpMachine, TimeAddsUpOnEveryProcessorAndForEveryThread) {
  Scene two = scene(2, 3, 20);
  two.thread({compute(5), block(), compute(7)});
  two.thread({spin(33), wakes({0}), compute(10)});
  two.thread({compute(41), wakes({0}), spin(9), compute(60)});
  two.run();
  const Time end = two.machine.now();
  Time worked = 0;
  for (unsigned i = 0; i < 2; ++i) {
    Time sum = 0;
    for (const Time time : two.machine.processor(i).times) sum += time;
    EXPECT_EQ(sum, end);
    worked += two.machine.processor(i).times[static_cast<int>(Activity::kComputing)] +
              two.machine.processor(i).times[static_cast<int>(Activity::kSpinning)];
  }
  EXPECT_EQ(worked, 5 + 7 + 33 + 10 + 41 + 9 + 60);
  for (const Task* task : two.threads) EXPECT_EQ(task->ran, task->computed + task->spun);
}

TEST(SmpMachine, SaysWhenAllWaitForEver) {
  Scene one = scene(1, 6, 100);
  one.thread({block()});
  EXPECT_THROW(one.run(), std::runtime_error);
}

TEST(SmpMachine, EndsAtItsLimit) {
  Scene one = scene(1, 0, 100, 0);
  one.thread({compute(kNever)});
  one.run(1234);
  EXPECT_EQ(one.machine.now(), 1234);
  EXPECT_EQ(one.threads[0]->computed, 1234);
}

}  // namespace
}  // namespace muster::smp
