// What simulated threads see of each other's stores, when, and what that costs.
#include <gtest/gtest.h>

#include "sim/coherence/simulated_memory.h"
#include "tests/sim/small_machine.h"

namespace muster::coherence::test {
namespace {

using Word = SimulatedMemory::Atomic<std::uint64_t>;
using Byte = SimulatedMemory::Atomic<std::uint8_t>;

struct alignas(4096) Words {
  alignas(64) Word a{0};
  alignas(64) Word b{0};
  alignas(64) Word c{0};
  alignas(64) Byte bytes[64];
};

std::uint64_t read(const Word& word) { return word.load(std::memory_order_acquire); }
void write(Word& word, std::uint64_t value) { word.store(value, std::memory_order_release); }
void wait_for(const Word& word, std::uint64_t value) {
  while (read(word) < value) SimulatedMemory::pause();
}

// Runs body(thread) on each of `threads` and gives the world for a look at its counts.
std::unique_ptr<World> run(const Machine& machine, unsigned threads,
                           const std::function<void(unsigned)>& body,
                           bool passes_over_polls = true) {
  auto world = std::make_unique<World>(machine, threads);
  world->pass_over_polls(passes_over_polls);
  g_world = world.get();
  world->run(body);
  return world;
}

std::uint64_t all_misses(const World& world, unsigned threads) {
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < threads; ++i) sum += world.counts(i).misses();
  return sum;
}

// A line goes back and forth: per transfer, one store that takes it and one load that fetches it.
TEST(Lines, ATransferIsAnInvalidationAndAFetch) {
  for (const auto& [partner, latency] : {std::pair{1U, kNear}, {4U, kFar}}) {
    auto words = std::make_unique<Words>();
    constexpr std::uint64_t kRounds = 100;
    Cycles ended = 0;
    const unsigned other = partner;
    const auto world = run(small_machine(), partner + 1, [&words, &ended, other](unsigned me) {
      if (me != 0 && me != other) return;
      for (std::uint64_t round = 1; round <= kRounds; ++round) {
        if (me == 0) write(words->a, round);
        wait_for(me == 0 ? words->b : words->a, round);
        if (me != 0) write(words->b, round);
      }
      if (me == 0) ended = g_world->now();
    });
    const double transfer = static_cast<double>(ended) / (2 * kRounds);
    EXPECT_NEAR(transfer, 2.0 * static_cast<double>(latency), 10) << partner;
    for (const unsigned thread : {0U, partner}) {
      const Counts& counts = world->counts(thread);
      EXPECT_NEAR(static_cast<double>(counts.misses()), 2 * kRounds, 4) << partner;
    }
  }
}

TEST(Lines, PassingOverPollsChangesNoTime) {
  Cycles ended[2] = {};
  std::uint64_t polls[2] = {};
  for (const bool passes : {false, true}) {
    auto words = std::make_unique<Words>();
    const auto world = run(
        small_machine(), 2,
        [&](unsigned me) {
          for (std::uint64_t round = 1; round <= 50; ++round) {
            if (me == 0) g_world->delay(777);
            if (me == 0) write(words->a, round);
            wait_for(words->a, round);
          }
          if (me == 1) ended[passes] = g_world->now();
        },
        passes);
    polls[passes] = world->counts(1).loads + world->counts(1).polls_passed_over;
  }
  EXPECT_NEAR(static_cast<double>(ended[1]), static_cast<double>(ended[0]), 50 * 8);
  EXPECT_NEAR(static_cast<double>(polls[1]), static_cast<double>(polls[0]), 50 * 4);
  EXPECT_GT(polls[0], 5000U);
}

TEST(Lines, NeighboursInALineTakeItFromEachOther) {
  auto words = std::make_unique<Words>();
  const auto store_to = [&](unsigned distance) {
    return run(small_machine(), 2, [&](unsigned me) {
      for (unsigned i = 0; i < 100; ++i) {
        if (distance == 1) {
          words->bytes[me].store(1, std::memory_order_release);
        } else {
          write(me == 0 ? words->a : words->b, i);
        }
        g_world->delay(2 * kNear);
      }
    });
  };
  // One of the two stores of a round finds the line gone.
  EXPECT_GT(all_misses(*store_to(1), 2), 90U);
  EXPECT_LE(all_misses(*store_to(64), 2), 2U);
}

TEST(Lines, ReservedUpdatesAreAllCountedAndSomeFail) {
  constexpr std::uint64_t kRounds = 50;
  for (const unsigned threads : {1U, 8U}) {
    auto words = std::make_unique<Words>();
    const auto world = run(small_machine(Atomics::kReservation), threads, [&](unsigned) {
      for (std::uint64_t i = 0; i < kRounds; ++i) words->a.fetch_add(1, std::memory_order_acq_rel);
    });
    EXPECT_EQ(words->a.in_memory(), kRounds * threads);
    std::uint64_t fails = 0;
    for (unsigned i = 0; i < threads; ++i) {
      EXPECT_EQ(world->counts(i).conditional_passes, kRounds);
      fails += world->counts(i).conditional_fails;
    }
    EXPECT_EQ(fails > 0, threads > 1) << fails;
  }
}

TEST(Lines, LockedUpdatesAreAllCountedAndNoneFails) {
  auto words = std::make_unique<Words>();
  const auto world = run(small_machine(), 8, [&](unsigned) {
    for (unsigned i = 0; i < 50; ++i) words->a.fetch_add(1, std::memory_order_acq_rel);
  });
  EXPECT_EQ(words->a.in_memory(), 400U);
  EXPECT_EQ(world->counts(3).conditional_fails + world->counts(3).conditional_passes, 0U);
}

TEST(Lines, AReservationIsLostToAnyOtherWriterOfTheLine) {
  auto words = std::make_unique<Words>();
  bool passed[3] = {};
  run(small_machine(Atomics::kReservation), 2, [&](unsigned me) {
    if (me == 1) {
      g_world->delay(5 * kFar);
      words->bytes[7].store(1, std::memory_order_release);
      return;
    }
    g_world->reserve(&words->bytes[0]);
    passed[0] = g_world->conditional(&words->bytes[0]);
    g_world->written(&words->bytes[0]);
    passed[1] = g_world->conditional(&words->bytes[0]);  // there is none any more
    g_world->reserve(&words->bytes[0]);
    g_world->delay(20 * kFar);
    passed[2] = g_world->conditional(&words->bytes[0]);
  });
  EXPECT_TRUE(passed[0]);
  EXPECT_FALSE(passed[1]);
  EXPECT_FALSE(passed[2]);
}

// The line of the second store is there long before that of the first.
TEST(Lines, StoresTakeEffectInOrder) {
  auto words = std::make_unique<Words>();
  std::uint64_t seen = 0;
  run(small_machine(), 5, [&](unsigned me) {
    if (me == 4) {
      write(words->a, 1);  // has the data's line, far away
    } else if (me == 0) {
      write(words->b, 1);  // has the flag's
      g_world->delay(10 * kFar);
      write(words->a, 2);
      write(words->b, 2);
    } else if (me == 1) {
      wait_for(words->b, 2);
      seen = read(words->a);
    }
  });
  EXPECT_EQ(seen, 2U);
}

// A thread's load may overtake its store, but for a fence.
TEST(Lines, FencesKeepLoadsBehindStores) {
  for (const bool fenced : {false, true}) {
    unsigned both_old = 0;
    for (unsigned skew = 0; skew < 20; ++skew) {
      auto words = std::make_unique<Words>();
      std::uint64_t seen[2] = {};
      run(small_machine(), 2, [&](unsigned me) {
        read(words->a);
        read(words->b);
        g_world->delay(10 * kNear + me * skew);
        write(me == 0 ? words->a : words->b, 1);
        if (fenced) SimulatedMemory::full_fence();
        seen[me] = read(me == 0 ? words->b : words->a);
      });
      if (seen[0] == 0 && seen[1] == 0) ++both_old;
    }
    EXPECT_EQ(both_old > 0, !fenced) << both_old;
  }
}

TEST(Lines, AThreadSeesItsOwnStoresAtOnce) {
  auto words = std::make_unique<Words>();
  run(small_machine(), 2, [&](unsigned me) {
    if (me == 1) return write(words->a, 7);
    g_world->delay(5 * kNear);
    write(words->a, 9);
    EXPECT_EQ(read(words->a), 9U);
  });
  EXPECT_EQ(words->a.in_memory(), 9U);
}

// One port serves seven readers of a modified line one after the other.
TEST(Lines, ContentionQueues) {
  Machine machine = small_machine();
  machine.node_data_cycles = 500;
  auto words = std::make_unique<Words>();
  Cycles last = 0;
  run(machine, kCores, [&](unsigned me) {
    if (me == 0) return write(words->a, 1);
    g_world->delay(10 * kFar);
    read(words->a);
    last = std::max(last, g_world->now());
  });
  // The owner's port is busy with the first; sharers serve later ones, the nearest to each.
  EXPECT_GE(last, 10 * kFar + kNear + 500);
}

TEST(Lines, CoresOfANodeShareItsLines) {
  Machine machine = small_machine();
  machine.cores_in_node = 2;
  machine.node_hit_cycles = 12;
  machine.levels = {{.name = "all", .nodes = 4, .latency_cycles = kNear}};
  auto words = std::make_unique<Words>();
  const auto world = run(machine, 2, [&](unsigned me) {
    if (me == 0) return write(words->a, 1);
    g_world->delay(10 * kNear);
    const Cycles before = g_world->now();
    read(words->a);
    EXPECT_LT(g_world->now() - before, kNear);
  });
  EXPECT_EQ(world->counts(1).misses(), 0U);
  EXPECT_EQ(world->counts(1).node_hits, 1U);
}

TEST(Lines, SleepersAreWoken) {
  auto words = std::make_unique<Words>();
  SimulatedMemory::Atomic<std::uint32_t> word{0};
  Cycles woken = 0;
  run(small_machine(), 2, [&](unsigned me) {
    if (me == 0) {
      EXPECT_TRUE(SimulatedMemory::wait(word, 0, /*limited=*/false));
      woken = g_world->now();
    } else {
      g_world->delay(1'000'000);
      SimulatedMemory::wake_all(word);
    }
  });
  EXPECT_GE(woken, 1'000'000U);
  EXPECT_THROW(run(small_machine(), 1, [&](unsigned) { wait_for(words->a, 1); }),
               std::runtime_error);
}

// Two lines at once that go the same way: one link carries one after the other, two lanes both.
TEST(Links, LanesCarryLinesSideBySide) {
  const auto busiest = [](unsigned lanes) {
    Machine machine = small_machine();
    machine.levels[1].link_cycles = 500;
    machine.levels[1].lanes = lanes;
    auto words = std::make_unique<Words>();
    const auto world = run(machine, 8, [&](unsigned me) {
      if (me == 0) write(words->a, 1);
      if (me == 1) write(words->b, 1);
      SimulatedMemory::delay(100'000);
      if (me == 4) read(words->a);
      if (me == 5) read(words->b);
    });
    return world->occupancies()[2].most;
  };
  EXPECT_EQ(busiest(1), 1'000U);
  EXPECT_EQ(busiest(2), 500U);
}

Machine snooped() {
  Machine out = small_machine(Atomics::kReservation);
  out.coherence = Coherence::kSnooping;
  out.address_cycles = 10;
  return out;
}

// A request that meets a line in transit is repeated, and each time uses the bus.
TEST(Requests, ASnoopedBusRejectsARequestForABusyLine) {
  auto words = std::make_unique<Words>();
  const auto world = run(snooped(), 3, [&](unsigned me) {
    if (me == 0) write(words->a, 1);
    SimulatedMemory::delay(10'000);
    if (me == 0) return;
    g_world->pass(me);  // not at the same time
    read(words->a);
  });
  // The first takes the line from its owner; the second comes while it is on its way.
  EXPECT_EQ(world->counts(1).retries, 0U);
  EXPECT_GT(world->counts(2).retries, 0U);
  const World::Occupancy bus = world->occupancies().back();
  EXPECT_EQ(bus.name, "address bus");
  EXPECT_EQ(bus.sum, 10 * (3 + world->counts(2).retries));
}

// Two cores of one node that want the same line need one answer.
TEST(Requests, ANodeAsksOnceForBothItsCores) {
  Machine machine = snooped();
  machine.cores_in_node = 2;
  machine.levels = {{.name = "all", .nodes = 4, .latency_cycles = kNear}};
  auto words = std::make_unique<Words>();
  const auto world = run(machine, 4, [&](unsigned me) {
    if (me == 0) write(words->a, 1);
    SimulatedMemory::delay(10'000);
    if (me >= 2) {
      EXPECT_EQ(read(words->a), 1U);
    }
  });
  EXPECT_EQ(world->counts(2).misses() + world->counts(3).misses(), 1U);
  EXPECT_EQ(world->counts(2).retries + world->counts(3).retries, 0U);
}

// A reader that goes from line to line waits for a few of them only.
TEST(Streams, LinesReadInOrderAreFetchedAhead) {
  struct alignas(4096) Row {
    struct alignas(64) Element {
      Word word{0};
    } elements[32];
  };
  const auto time_of = [](unsigned streams, unsigned lines, int step, std::uint64_t& prefetches) {
    Machine machine = small_machine();
    machine.prefetch_streams = streams;
    machine.prefetch_lines = lines;
    auto row = std::make_unique<Row>();
    Cycles taken = 0;
    const auto world = run(machine, 2, [&](unsigned me) {
      if (me == 0) {
        for (auto& element : row->elements) write(element.word, 1);
      }
      SimulatedMemory::delay(100'000);
      if (me == 0) return;
      const Cycles begun = g_world->now();
      for (int i = 0; i < 32; ++i) read(row->elements[step > 0 ? i : 31 - i].word);
      taken = g_world->now() - begun;
    });
    prefetches = world->counts(1).prefetches;
    EXPECT_EQ(world->counts(1).misses(), 32U);
    return taken;
  };
  std::uint64_t prefetches = 0;
  const Cycles alone = time_of(0, 0, 1, prefetches);
  EXPECT_EQ(prefetches, 0U);
  for (const int step : {1, -1}) {
    const Cycles ahead = time_of(2, 4, step, prefetches);
    EXPECT_EQ(prefetches, 30U) << "all but the two that tell the direction";
    EXPECT_LT(ahead, alone / 3) << step;
  }
}

}  // namespace
}  // namespace muster::coherence::test
