// The simulated SMP's Memory, and conditional waiting on it, by hand.
#include "sim/smp/simulated_memory.h"

#include <gtest/gtest.h>

#include "sim/smp/fiber_job.h"
#include "sim/smp/production_registry.h"
#include "sim/smp/round_robin.h"

namespace muster::smp::test {
namespace {

JobPlan plan_of(unsigned size, const Interval& interval, std::uint64_t barriers,
                const std::string& policy) {
  JobPlan out;
  out.size = size;
  out.interval = interval;
  out.barriers = barriers;
  out.policy = policy;
  return out;
}

// Each thread computes for times of its own.
class Scripted : public FiberJob<Job> {
 public:
  using Script = std::function<void(unsigned thread, World& world)>;
  Scripted(const JobPlan& plan, const Costs& costs, Script script)
      : FiberJob(plan, 0, costs), script_(std::move(script)) {}

 private:
  void arrive_and_wait(unsigned thread, std::uint64_t) override { script_(thread, world()); }
  Script script_;
};

// Runs the script on so many processors; the tasks' times are in `machine`.
struct Scene {
  Scene(unsigned threads, unsigned processors, Time context_switch, const Costs& costs,
        Scripted::Script script)
      : scheduler(1'000'000'000),
        machine({processors, context_switch, 1}, scheduler),
        job(plan_of(threads, {1, 0}, 1, {}), costs, std::move(script)) {
    job.make(machine, 1, [this] { machine.stop(); });
    machine.arrive(job.tasks(), 0);
    machine.run();
  }
  RoundRobin scheduler;
  Machine machine;
  Scripted job;
};

TEST(SimulatedMemory, SleepsAndWakesAtTheTimesThatTheyTake) {
  Costs costs = Costs::none();
  costs.futex_wait = 100;
  costs.futex_wake = 200;
  costs.wake_each = 300;
  SimulatedMemory::Atomic<std::uint32_t> word{0};
  Time woken = 0;
  bool turned_away = true;
  Scene scene(2, 2, 1'000, costs, [&](unsigned thread, World& world) {
    if (thread == 0) {
      turned_away = SimulatedMemory::wait(word, 7, false);
      EXPECT_TRUE(SimulatedMemory::wait(word, 0, false));
      woken = world.machine().now();
    } else {
      world.compute(5'000);
      word.store(1, std::memory_order_release);
      word.store(1, std::memory_order_release);
      SimulatedMemory::wake_all(word);
      world.compute(2'000);  // or its processor would take thread 0
    }
  });
  EXPECT_FALSE(turned_away);
  // Interrupted, switched to: 1 + 1,000; computed 1 and 5,000; the call 200 and 300; again 1 + 1,000.
  EXPECT_EQ(woken, 1'001 + 1 + 5'000 + 500 + 1'001);
}

TEST(SimulatedMemory, ALimitedSleepEndsByItself) {
  SimulatedMemory::Atomic<std::uint32_t> word{0};
  Time slept = 0;
  Scene scene(1, 1, 0, Costs::none(), [&](unsigned, World& world) {
    const Time before = world.machine().now();
    EXPECT_TRUE(SimulatedMemory::wait(word, 0, true));
    slept = world.machine().now() - before;
  });
  EXPECT_EQ(slept, 1'000'000 + 1);
}

TEST(SimulatedMemory, AStoreEndsASpinAtOnce) {
  SimulatedMemory::Atomic<std::uint32_t> word{0};
  SimulatedMemory::Atomic<std::uint32_t> other{0};
  Time stored = 0;
  Time seen = 0;
  Scene scene(2, 2, 0, Costs::none(), [&](unsigned thread, World& world) {
    if (thread == 0) {
      while (word.load(std::memory_order_acquire) == 0) SimulatedMemory::pause();
      seen = world.machine().now();
    } else {
      world.compute(1'000'000);
      other.store(1, std::memory_order_release);  // nobody looks at it
      world.compute(1'000'003);
      word.store(1, std::memory_order_release);
      stored = world.machine().now();
    }
  });
  EXPECT_EQ(seen, stored);
}

TEST(SimulatedMemory, AThreadMovesWhereItIsSent) {
  unsigned before = kNoCpu;
  unsigned after = kNoCpu;
  Scene scene(1, 4, 100, Costs::none(), [&](unsigned, World&) {
    before = SimulatedMemory::Scheduler::current_cpu();
    EXPECT_TRUE(SimulatedMemory::Scheduler::move_to((before + 2) % 4));
    after = SimulatedMemory::Scheduler::current_cpu();
    EXPECT_TRUE(SimulatedMemory::Scheduler::leave_cpu(after));
    EXPECT_NE(SimulatedMemory::Scheduler::current_cpu(), after);
  });
  EXPECT_EQ(after, (before + 2) % 4);
  EXPECT_EQ(scene.job.tasks()[0]->pinned, kNoProcessor);
}

// Three threads meet once; thread 1 comes 600 after thread 0, thread 2 when it has to. W is 1,000.
struct Meeting {
  explicit Meeting(Time last_comes) {
    Arena arena;
    const auto* ops = simulated_barrier_ops(BarrierKind::kFetchAdd);
    EXPECT_TRUE(arena.reserve(ops->bytes(3, {})));
    void* state = ops->create(arena, 3, {},
                              {.wait = WaitKind::kConditional, .team_size = 3, .wake_ns = 1'000});
    CallOff<SimulatedMemory> call_off;
    Scene scene(3, 3, 0, Costs::none(), [&](unsigned thread, World& world) {
      world.compute(thread == 0 ? 1 : thread == 1 ? 600 : last_comes);
      ops->arrive_and_wait(state, thread, 1, call_off, stats[thread]);
    });
    for (unsigned i = 0; i < 3; ++i) spun[i] = scene.job.tasks()[i]->spun;
  }
  WaitStats stats[3];
  Time spun[3] = {};
};

// A poll takes 1 here; before the clock is read there are 96, and budgets are looked at after 16.
constexpr Time kPolls = 96 + 16 + 16;

TEST(SimulatedMemory, ConditionalGoesOnWhileTeammatesCome) {
  // Thread 0 sees thread 1 come within its first W, so it waits 3 W more, in which thread 2 comes.
  const Meeting soon(3'900);
  EXPECT_EQ(soon.stats[0].blocks.read(), 0U);
  EXPECT_EQ(soon.stats[0].spins_succeeded.read(), 1U);
  EXPECT_NEAR(static_cast<double>(soon.spun[0]), 3'899, 2);
  // Thread 1 sees nobody come within W.
  EXPECT_EQ(soon.stats[1].blocks.read(), 1U);
  EXPECT_NEAR(static_cast<double>(soon.spun[1]), 1'000 + kPolls / 2, kPolls / 2 + 1'000 / 32);
}

TEST(SimulatedMemory, ConditionalGivesUpWhenNoMoreThreadsArrive) {
  const Meeting late(20'000);
  EXPECT_EQ(late.stats[0].blocks.read(), 1U);
  EXPECT_NEAR(static_cast<double>(late.spun[0]), 4'000 + kPolls / 2, kPolls / 2 + 4'000 / 32);
  EXPECT_EQ(late.stats[1].blocks.read(), 1U);
  EXPECT_EQ(late.stats[2].arrived_last.read(), 1U);
}

}  // namespace
}  // namespace muster::smp::test
