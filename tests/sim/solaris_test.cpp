// The time-sharing class's rules, one by one, against schedules worked out by hand.
#include "sim/cluster/solaris.h"

#include <gtest/gtest.h>

namespace muster::cluster::test {
namespace {

constexpr unsigned kA = 7;
constexpr unsigned kB = 3;
constexpr unsigned kC = 5;

// Ticks of which none asks for another process.
void pass(Solaris& scheduler, int running, unsigned ticks) {
  for (unsigned i = 0; i < ticks; ++i) ASSERT_FALSE(scheduler.tick(running)) << i;
}

Solaris with(std::initializer_list<unsigned> processes) {
  Solaris scheduler(dispatch_table(Table::kSolaris), 0);
  for (const unsigned process : processes) scheduler.add(process);
  return scheduler;
}

TEST(Solaris, QuantumsEndLowersThePriorityAndGoesToTheBack) {
  Solaris scheduler = with({kA, kB});
  ASSERT_EQ(scheduler.pick(), int{kA});
  EXPECT_EQ(scheduler.priority(kA), 29);
  pass(scheduler, kA, 11);
  EXPECT_TRUE(scheduler.tick(kA));  // 29 has 12 ticks
  scheduler.requeue(kA);
  EXPECT_EQ(scheduler.priority(kA), 19);
  ASSERT_EQ(scheduler.pick(), int{kB});
  pass(scheduler, kB, 11);
  EXPECT_TRUE(scheduler.tick(kB));
  scheduler.requeue(kB);
  ASSERT_EQ(scheduler.pick(), int{kA});  // both at 19, A was there first
  pass(scheduler, kA, 15);
  EXPECT_TRUE(scheduler.tick(kA));  // 19 has 16
  scheduler.requeue(kA);
  EXPECT_EQ(scheduler.priority(kA), 9);
  EXPECT_EQ(scheduler.pick(), int{kB});
}

TEST(Solaris, ProcessThatIsAloneRunsOnAtALowerPriority) {
  Solaris scheduler = with({kA});
  scheduler.pick();
  pass(scheduler, kA, 11);
  EXPECT_TRUE(scheduler.tick(kA));
  scheduler.requeue(kA);
  EXPECT_EQ(scheduler.pick(), int{kA});
  pass(scheduler, kA, 15);  // with a quantum of its new priority
  EXPECT_TRUE(scheduler.tick(kA));
}

TEST(Solaris, HigherPriorityPreemptsAndTheOtherKeepsItsQuantum) {
  Solaris scheduler = with({kB, kA, kC});
  ASSERT_EQ(scheduler.pick(), int{kB});
  scheduler.sleeps(kB);  // at 29
  ASSERT_EQ(scheduler.pick(), int{kA});
  scheduler.sleeps(kA);
  ASSERT_EQ(scheduler.pick(), int{kC});
  EXPECT_FALSE(scheduler.wakes(kA, kC));  // of the same priority: no preemption
  pass(scheduler, kC, 11);
  EXPECT_TRUE(scheduler.tick(kC));
  scheduler.requeue(kC);  // 19
  ASSERT_EQ(scheduler.pick(), int{kA});
  pass(scheduler, kA, 11);
  EXPECT_TRUE(scheduler.tick(kA));
  scheduler.requeue(kA);  // 19, behind C
  ASSERT_EQ(scheduler.pick(), int{kC});
  pass(scheduler, kC, 6);
  EXPECT_TRUE(scheduler.wakes(kB, kC));  // 29 against 19
  scheduler.requeue(kC);
  ASSERT_EQ(scheduler.pick(), int{kB});
  scheduler.sleeps(kB);
  ASSERT_EQ(scheduler.pick(), int{kC});  // in front of A
  pass(scheduler, kC, 9);
  EXPECT_TRUE(scheduler.tick(kC));  // 6 + 10 of 16
}

TEST(Solaris, SleepDoesNotRaiseUnlessASecondHasPassed) {
  Solaris scheduler = with({kA});
  scheduler.pick();
  pass(scheduler, kA, 5);
  scheduler.sleeps(kA);
  pass(scheduler, kNobody, 94);
  scheduler.wakes(kA, kNobody);
  EXPECT_EQ(scheduler.priority(kA), 29);
  ASSERT_EQ(scheduler.pick(), int{kA});
  scheduler.sleeps(kA);
  pass(scheduler, kNobody, 1);  // the hundredth: dispwait is 1, more than 29's maxwait
  EXPECT_EQ(scheduler.priority(kA), 29);
  scheduler.wakes(kA, kNobody);
  EXPECT_EQ(scheduler.priority(kA), 52);  // slpret
  ASSERT_EQ(scheduler.pick(), int{kA});
  pass(scheduler, kA, 3);
  EXPECT_TRUE(scheduler.tick(kA));  // 52 has 4 ticks
  EXPECT_EQ(scheduler.priority(kA), 42);
}

TEST(Solaris, ByTheManualPageEverySleepRaises) {
  Solaris scheduler(dispatch_table(Table::kSolaris), 0, true);
  scheduler.add(kA);
  scheduler.pick();
  scheduler.sleeps(kA);
  scheduler.wakes(kA, kNobody);
  EXPECT_EQ(scheduler.priority(kA), 52);
}

TEST(Solaris, LongWaitRaisesReadyProcesses) {
  Solaris scheduler = with({kA, kB});
  ASSERT_EQ(scheduler.pick(), int{kA});
  const auto turn = [&](unsigned from, unsigned ticks, unsigned to) {
    pass(scheduler, static_cast<int>(from), ticks - 1);
    EXPECT_TRUE(scheduler.tick(static_cast<int>(from)));
    scheduler.requeue(from);
    EXPECT_EQ(scheduler.pick(), static_cast<int>(to));
  };
  turn(kA, 12, kB);  // 29 to 19
  turn(kB, 12, kA);
  turn(kA, 16, kB);  // 19 to 9
  turn(kB, 16, kA);
  turn(kA, 20, kB);  // 9 to 0; 76 ticks by now
  pass(scheduler, kB, 19);
  EXPECT_TRUE(scheduler.tick(kB));
  scheduler.requeue(kB);  // 0, behind A
  ASSERT_EQ(scheduler.pick(), int{kA});
  pass(scheduler, kA, 3);
  // The hundredth: the one that runs is raised to slpret, the ready one to lwait. Both 50: none goes.
  pass(scheduler, kA, 1);
  EXPECT_EQ(scheduler.priority(kA), 50);
  EXPECT_EQ(scheduler.priority(kB), 50);
  // At 50 there are 4 ticks; then 40 is outranked.
  pass(scheduler, kA, 3);
  EXPECT_TRUE(scheduler.tick(kA));
  scheduler.requeue(kA);
  EXPECT_EQ(scheduler.pick(), int{kB});
  EXPECT_EQ(scheduler.priority(kA), 40);
}

TEST(Solaris, RaisedReadyProcessPreempts) {
  // A has 40 of its own after a quantum at 50; B, at 40 and ready when the second is over, gets 55.
  Solaris scheduler(dispatch_table(Table::kSolaris), 4);  // an update at the fourth tick
  scheduler.add(kA);
  scheduler.add(kB);
  ASSERT_EQ(scheduler.pick(), int{kA});
  pass(scheduler, kA, 4);  // both are raised from 29 to 52, none above the other
  EXPECT_EQ(scheduler.priority(kA), 52);
  pass(scheduler, kA, 3);
  EXPECT_TRUE(scheduler.tick(kA));
  scheduler.requeue(kA);  // 42
  ASSERT_EQ(scheduler.pick(), int{kB});
  scheduler.sleeps(kB);
  ASSERT_EQ(scheduler.pick(), int{kA});
  EXPECT_TRUE(scheduler.wakes(kB, kA));  // 52 against 42
}

TEST(Solaris, HighestPriorityIsNotRaisedAndHasTwoTicks) {
  const DispatchTable& table = dispatch_table(Table::kSolaris);
  EXPECT_EQ(table[59].quantum, 2);
  EXPECT_EQ(table[59].expired, 49);
  EXPECT_EQ(table[59].maxwait, 32000);
  EXPECT_EQ(table[49].lwait, 59);
  EXPECT_EQ(table[0].quantum, 20);
  EXPECT_EQ(table[5].expired, 0);
  EXPECT_EQ(table[29].slept, 52);
  EXPECT_EQ(table[35].slept, 54);
  EXPECT_EQ(table[45].lwait, 56);
  EXPECT_EQ(dispatch_table(Table::kSvr4)[29].quantum, 60);
  EXPECT_EQ(dispatch_table(Table::kSvr4)[17].expired, 8);
  EXPECT_EQ(dispatch_table(Table::kSvr4)[43].slept, 51);
  for (const Table one : {Table::kSolaris, Table::kSvr4}) {
    for (int i = 0; i < kPriorities; ++i) {
      const Level& level = dispatch_table(one)[static_cast<std::size_t>(i)];
      EXPECT_LE(level.expired, i);
      EXPECT_GE(level.slept, i == 59 ? 59 : i);
      EXPECT_GE(level.lwait, level.slept);
      EXPECT_LT(level.lwait, kPriorities);
    }
  }
}

TEST(Solaris, AProcessThatRanWithinTheSameTickWakesToTheFront) {
  Solaris scheduler = with({kA, kB, kC});
  ASSERT_EQ(scheduler.pick(), int{kA});
  scheduler.sleeps(kA);
  ASSERT_EQ(scheduler.pick(), int{kB});
  scheduler.wakes(kA, kB);  // no tick since it ran: before C
  scheduler.sleeps(kB);
  ASSERT_EQ(scheduler.pick(), int{kA});
  scheduler.sleeps(kA);
  ASSERT_EQ(scheduler.pick(), int{kC});
  pass(scheduler, kC, 1);
  scheduler.wakes(kB, kC);
  scheduler.wakes(kA, kC);  // both behind whoever is there
  scheduler.sleeps(kC);
  EXPECT_EQ(scheduler.pick(), int{kB});
}

TEST(Solaris, AnEndedProcessIsGone) {
  Solaris scheduler = with({kA, kB});
  ASSERT_EQ(scheduler.pick(), int{kA});
  scheduler.ends(kA);
  ASSERT_EQ(scheduler.pick(), int{kB});
  EXPECT_EQ(scheduler.pick(), kNobody);
  for (int i = 0; i < 250; ++i) {
    if (scheduler.tick(kB)) {
      scheduler.requeue(kB);
      ASSERT_EQ(scheduler.pick(), int{kB});
    }
  }
  EXPECT_EQ(scheduler.pick(), kNobody);
}

TEST(RoundRobin, TakesTurns) {
  RoundRobin scheduler(2 * kTick);
  scheduler.add(kA);
  scheduler.add(kB);
  ASSERT_EQ(scheduler.pick(), int{kA});
  EXPECT_FALSE(scheduler.tick(kA));
  EXPECT_TRUE(scheduler.tick(kA));
  scheduler.requeue(kA);
  ASSERT_EQ(scheduler.pick(), int{kB});
  EXPECT_FALSE(scheduler.tick(kB));
  EXPECT_FALSE(scheduler.wakes(kC, kB));
  EXPECT_TRUE(scheduler.tick(kB));
  scheduler.requeue(kB);
  EXPECT_EQ(scheduler.pick(), int{kA});
  EXPECT_EQ(scheduler.pick(), int{kC});
  EXPECT_EQ(scheduler.pick(), int{kB});
}

}  // namespace
}  // namespace muster::cluster::test
