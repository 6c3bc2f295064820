// One processor's queue under EEVDF, each rule on two threads by hand (eevdf_fixture.h).
#include "tests/sim/eevdf_fixture.h"

namespace muster::smp::by_hand {
namespace {

// Each runs until its deadline has passed: to 1.5, seen at the tick of 2 ms; then 3 ms at a time.
TEST_F(Eevdfs, TwoOnOneProcessorTakeTurnsOfASlice) {
  hog();
  hog();
  machine->run(13 * kMs + 1);
  const std::vector<Began> expected = {{0, 0, 0},       {2 * kMs, 1, 0},  {4 * kMs, 0, 0},
                                       {7 * kMs, 1, 0}, {10 * kMs, 0, 0}, {13 * kMs, 1, 0}};
  EXPECT_EQ(began, expected);
}

// 0.7 ms of protection instead of a slice: the other is better at each tick.
TEST_F(Eevdfs, WithoutRunToParityTheyTakeTurnsOfATick) {
  rules.run_to_parity = false;
  hog();
  hog();
  machine->run(3 * kMs + 1);
  const std::vector<Began> expected = {
      {0, 0, 0}, {1 * kMs, 1, 0}, {2 * kMs, 0, 0}, {3 * kMs, 1, 0}};
  EXPECT_EQ(began, expected);
}

// Slices end at ticks: 0.7 ms on one processor last 4 at HZ=250.
TEST_F(Eevdfs, SlicesEndAtTicks) {
  rules = EevdfRules();
  hog();
  hog();
  machine->run(12 * kMs + 1);
  EXPECT_EQ(scheduler->base_slice(), 700 * kUs);
  const std::vector<Began> expected = {
      {0, 0, 0}, {4 * kMs, 1, 0}, {8 * kMs, 0, 0}, {12 * kMs, 1, 0}};
  EXPECT_EQ(began, expected);
}

TEST_F(Eevdfs, TheBaseSliceGrowsWithTheLogarithmOfTheProcessors) {
  const std::pair<unsigned, Time> expected[] = {{1, 700},  {2, 1400}, {3, 1400},
                                                {4, 2100}, {8, 2800}, {1024, 2800}};
  for (const auto& [processors, us] : expected) {
    rules = EevdfRules();
    shape.processors = processors;
    build();
    hog();
    machine->run(1);
    EXPECT_EQ(scheduler->base_slice(), us * kUs) << processors;
  }
}

// Niceness 5 weighs 335, 0 weighs 1024.
TEST_F(Eevdfs, SharesAreThoseOfTheWeights) {
  Task& heavy = hog();
  Task& light = hog();
  light.nice = 5;
  machine->run(10'000 * kMs);
  EXPECT_NEAR(static_cast<double>(light.ran) / static_cast<double>(heavy.ran), 335.0 / 1024, 0.002);
}

// Thread 1 runs from 2 ms on, when thread 0 is at 2. It sleeps when it is at 0.5 and V at 1.25: a lag of
// 0.75. At 3.5 thread 0 is at 3, alone. To be 0.75 behind V again, it must be put 1.5 behind thread 0. That
// one is ahead of V then, so it does not go on.
TEST_F(Eevdfs, TheLagIsKeptOverASleep) {
  hog();
  Task& sleeper = thread({compute(500 * kUs), block(kMs), compute(kNever)});
  machine->at(3'500 * kUs, [&] { EXPECT_EQ(Eevdf::fair(sleeper).lag, 750 * kUs); });
  machine->run(3'500 * kUs);
  EXPECT_EQ(Eevdf::fair(sleeper).runtime, 1'500 * kUs);
  EXPECT_EQ(scheduler->queue(0).average(), 2'250 * kUs);
  EXPECT_EQ(Eevdf::fair(sleeper).deadline, 4'500 * kUs);
  EXPECT_EQ(began_at(sleeper, 1), 3'500 * kUs);
}

TEST_F(Eevdfs, WithoutPlaceLagItComesBackAtTheAverage) {
  rules.place_lag = false;
  hog();
  Task& sleeper = thread({compute(500 * kUs), block(kMs), compute(kNever)});
  machine->run(3'500 * kUs);
  EXPECT_EQ(Eevdf::fair(sleeper).runtime, 3 * kMs);
}

// Thread 0 blocks at 1.9 when V is at 0.95. It stays in the queue until the eligible thread is looked up and
// V has passed it: at the tick of 4 ms, when thread 1 is at 2.1 and V at 2.0. What it would have gained by
// waiting is not kept.
TEST_F(Eevdfs, AThreadAheadOfTheAverageLeavesLater) {
  Task& ahead = thread({compute(1'900 * kUs), block(10 * kMs), compute(kNever)});
  Task& other = hog();
  machine->at(3'900 * kUs, [&] {
    EXPECT_TRUE(Eevdf::fair(ahead).delayed);
    EXPECT_EQ(scheduler->queue(0).size(), 2);
    EXPECT_EQ(scheduler->queue(0).runnable(), 1);
  });
  machine->at(4'100 * kUs, [&] {
    EXPECT_FALSE(Eevdf::fair(ahead).delayed);
    EXPECT_FALSE(Eevdf::fair(ahead).queued);
    EXPECT_EQ(Eevdf::fair(ahead).lag, 0);
    EXPECT_EQ(scheduler->queue(0).size(), 1);
  });
  machine->run(5 * kMs);
  EXPECT_EQ(other.ran, 3'100 * kUs);
}

// Woken at 3.5 it is where it was: at 1.9, when V is at 1.75.
TEST_F(Eevdfs, AThreadWokenBeforeItHasLeftKeepsItsPlace) {
  Task& ahead = thread({compute(1'900 * kUs), block(1'600 * kUs), compute(kNever)});
  hog();
  machine->run(3'600 * kUs);
  EXPECT_FALSE(Eevdf::fair(ahead).delayed);
  EXPECT_EQ(Eevdf::fair(ahead).runtime, 1'900 * kUs);
  EXPECT_EQ(ahead.state, State::kReady);
}

TEST_F(Eevdfs, WithoutDelayItLeavesAtOnceWithItsLag) {
  rules.delay_dequeue = false;
  Task& ahead = thread({compute(1'900 * kUs), block(10 * kMs)});
  hog();
  machine->run(2 * kMs);
  EXPECT_FALSE(Eevdf::fair(ahead).queued);
  EXPECT_EQ(Eevdf::fair(ahead).lag, -950 * kUs);
}

// At 1 ms the hog is at 1, as is V, and protected until 1.5. A newcomer's deadline is 2.5, with a slice of
// 0.1 ms it is 1.05.
TEST_F(Eevdfs, AShorterSlicePreempts) {
  hog();
  Task& late = hog(kMs);
  late.slice = 100 * kUs;
  machine->run(3 * kMs);
  EXPECT_EQ(began_at(late), kMs);
}

TEST_F(Eevdfs, AnEqualSliceWaitsForTheTickAfterTheDeadline) {
  hog();
  Task& late = hog(kMs);
  machine->run(3 * kMs);
  EXPECT_EQ(began_at(late), 2 * kMs);
}

// Protected only as long as the shortest slice of the queue: 0.1 ms from 0 on, so not at the tick of 1 ms.
TEST_F(Eevdfs, WithoutPreemptShortAShorterSliceWaitsForATick) {
  rules.preempt_short = false;
  hog();
  Task& late = hog(500 * kUs);
  late.slice = 100 * kUs;
  machine->run(3 * kMs);
  EXPECT_EQ(began_at(late), 2 * kMs);
}

// Slices are what sched_setattr takes: 0.1 to 100 ms.
TEST_F(Eevdfs, SlicesAreBounded) {
  Task& little = hog();
  Task& large = hog();
  little.slice = 1;
  large.slice = 1000 * kMs;
  machine->run(1);
  EXPECT_EQ(Eevdf::fair(little).slice, 100 * kUs);
  EXPECT_EQ(Eevdf::fair(large).slice, 100 * kMs);
}

// Thread 1 begins at 2 ms and yields at 2.5: it is at 0.5, V at 1.25, thread 0 at 2. It pays up to its
// deadline, 1.5. That is still behind V (1.75), so it goes on and yields again, for a whole slice: 4.5. V is
// 3.25; thread 0 runs until its deadline, 5, has passed: at the tick of 6 ms.
TEST_F(Eevdfs, AYieldCostsTheRestOfTheSlice) {
  hog();
  Task& yielder = thread({compute(500 * kUs), yield(), yield(), compute(kNever)});
  machine->run(6 * kMs + 1);
  EXPECT_EQ(began_at(yielder, 0), 2 * kMs);
  EXPECT_EQ(began_at(yielder, 1), 6 * kMs);
  EXPECT_EQ(Eevdf::fair(yielder).deadline, 7'500 * kUs);
  EXPECT_EQ(Eevdf::fair(yielder).runtime, 4'500 * kUs);
}

// Ahead of V at 0.5: nothing to pay, the other runs.
TEST_F(Eevdfs, AYieldAheadOfTheAverageIsFree) {
  Task& yielder = thread({compute(500 * kUs), yield(), compute(kNever)});
  Task& other = hog();
  machine->run(600 * kUs);
  EXPECT_EQ(began_at(other), 500 * kUs);
  EXPECT_EQ(Eevdf::fair(yielder).runtime, 500 * kUs);
}

TEST_F(Eevdfs, AYieldWithoutOtherThreadsIsFree) {
  Task& alone = thread({compute(500 * kUs), yield(), compute(kNever)});
  machine->run(600 * kUs);
  EXPECT_EQ(alone.ran, 600 * kUs);
  EXPECT_EQ(Eevdf::fair(alone).deadline, 1'500 * kUs);
}

// Times add up, whatever happens.
class Bursty : public Behaviour {
 public:
  explicit Bursty(std::uint64_t seed) : numbers_(seed) {}
  Demand next(Machine& machine, Task&) override {
    const Time time = numbers_.next() % 3'000'000;
    switch (numbers_.next() % 6) {
      case 0:
        return {Demand::Kind::kBlock, time / 4};
      case 1:
        return {Demand::Kind::kYield, 0};
      case 2:
        return {Demand::Kind::kSpin, time / 10};
      case 3: {
        Task* const one = machine.tasks()[numbers_.next() % machine.tasks().size()].get();
        machine.wake({&one, 1}, kNoProcessor);
        machine.signal(*one);
        return {Demand::Kind::kCompute, 10};
      }
      default:
        return {Demand::Kind::kCompute, time};
    }
  }

 private:
  MixedNumbers numbers_;
};

TEST_F(Eevdfs, TimesAddUp) {
  for (const unsigned processors : {1U, 3U, 8U}) {
    rules = EevdfRules();
    rules.llc = 4;
    rules.idle_exit = 20 * kUs;
    shape = {processors, 2 * kUs, kUs};
    build();
    running.clear();
    std::vector<Task*> all;
    for (unsigned i = 0; i < 2 * processors + 1; ++i) {
      all.push_back(&machine->make_task(0, std::make_unique<Bursty>(i)));
      all.back()->nice = static_cast<int>(i % 7) - 3;
      if (i % 3 == 0) all.back()->slice = 100 * kUs;
      if (i % 5 == 0) all.back()->pinned = i % processors;
    }
    machine->arrive(all, 0);
    const Time end = 2'000 * kMs;
    machine->run(end);
    Time ran = 0;
    Time on_processors = 0;
    for (const Task* task : all) {
      ran += task->ran;
      EXPECT_GT(task->ran, 0);
      EXPECT_LE(task->ran + task->was_ready + task->was_blocked, end);
    }
    for (unsigned i = 0; i < processors; ++i) {
      Time sum = 0;
      for (const Time time : machine->processor(i).times) sum += time;
      EXPECT_EQ(sum, end);
      on_processors += machine->processor(i).times[static_cast<int>(Activity::kComputing)] +
                       machine->processor(i).times[static_cast<int>(Activity::kSpinning)];
      unsigned queued = 0;
      for (const Task* task : all)
        queued += Eevdf::fair(*task).queued && Eevdf::fair(*task).home == i;
      EXPECT_EQ(scheduler->queue(i).size(), queued);
    }
    EXPECT_EQ(ran, on_processors);
  }
}

}  // namespace
}  // namespace muster::smp::by_hand
