// Calibration: plausible figures on any machine under any load, and its behaviour when it cannot measure.
#include "waiting/calibration.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <thread>

#include "platform/affinity.h"
#include "platform/cpus.h"

namespace muster::test {
namespace {

constexpr std::uint64_t kDefaults[] = {kDefaultContextSwitchNs, kDefaultWakeNs, kDefaultWakeCallNs};

void expect_within_bounds(const Calibration& calibration) {
  for (const NamedCost& named : kCosts) {
    EXPECT_GE((calibration.*named.cost).ns, kLeastCostNs) << named.name;
    EXPECT_LE((calibration.*named.cost).ns, kMostCostNs) << named.name;
  }
}

void expect_defaults(const Calibration& calibration, CostNote note) {
  for (std::size_t i = 0; i < std::size(kCosts); ++i) {
    const Cost& cost = calibration.*kCosts[i].cost;
    EXPECT_EQ(name_of(cost.note), std::string(name_of(note))) << kCosts[i].name;
    EXPECT_EQ(cost.ns, kDefaults[i]) << kCosts[i].name;
    EXPECT_EQ(cost.repeats, 0U) << kCosts[i].name;
  }
}

// Runs `body` in a thread that may use `cpu` only: the affinity of the test's thread stays.
template <class Body>
void on_one_cpu(Body body) {
  std::thread([&] {
    ASSERT_TRUE(AffinityMask::only(current_cpu()).apply());
    body();
  }).join();
}

TEST(Calibration, IsMadeOnceWithinBounds) {
  const Calibration& own = calibration();
  expect_within_bounds(own);
  EXPECT_EQ(&calibration(), calibration_if_done());
  EXPECT_EQ(context_switch_ns(), own.context_switch.ns);
  EXPECT_EQ(wake_ns(), own.wake.ns);
}

// Measured once the machine lets it, however busy it is; otherwise calibration is broken.
TEST(Calibration, IsMeasuredAndNotAssumed) {
  Calibration best = calibrate();
  const auto all_measured = [&best] {
    return best.context_switch.measured() && best.wake_call.measured() &&
           (best.wake.measured() || allowed_cpus() == 1);
  };
  const std::uint64_t end_ns = monotonic_ns() + 60'000'000'000;
  while (!all_measured() && monotonic_ns() < end_ns) best = least_of(best, calibrate());
  EXPECT_TRUE(all_measured()) << name_of(best.context_switch.note) << ", "
                              << name_of(best.wake.note) << ", " << name_of(best.wake_call.note);
  EXPECT_LE(best.wake_call.ns, kMostCostNs);
}

TEST(Calibration, StaysWithinBoundsWithTwoCpuHogs) {
  std::atomic<bool> over{false};
  const auto burn = [&over] {
    while (!over.load(std::memory_order_relaxed)) {
    }
  };
  std::thread first(burn);
  std::thread second(burn);
  for (int i = 0; i < 5; ++i) {
    const Calibration calibration = calibrate();
    expect_within_bounds(calibration);
    for (std::size_t cost = 0; cost < std::size(kCosts); ++cost) {
      const Cost& its = calibration.*kCosts[cost].cost;
      if (its.note == CostNote::kBesideLoad) {
        EXPECT_EQ(its.ns, kDefaults[cost]);
      }
    }
  }
  over.store(true, std::memory_order_relaxed);
  first.join();
  second.join();
}

TEST(Calibration, TakesTheContextSwitchForTheWakeOnOneCpu) {
  on_one_cpu([] {
    const Calibration calibration = calibrate();
    EXPECT_EQ(calibration.wake.note, CostNote::kOneCpu);
    EXPECT_EQ(calibration.wake.ns, calibration.context_switch.ns);
    expect_within_bounds(calibration);
  });
}

// As in a program whose runtime binds its threads: the calling thread has one CPU, the process several.
TEST(Calibration, WakesOnTheCpusItIsGiven) {
  AffinityMask all;
  ASSERT_TRUE(all.read());
  if (all.count() == 1) GTEST_SKIP() << "one CPU";
  on_one_cpu([&all] {
    const Calibration calibration = calibrate({.cpus = &all});
    EXPECT_NE(calibration.wake.note, CostNote::kOneCpu);
    expect_within_bounds(calibration);
  });
}

// The limit on processes of a cgroup or user, reached by the first thread or by the second.
TEST(Calibration, AssumesDefaultsWithoutThreads) {
  static std::atomic<int> left{0};
  const CalibrationMeans limited{.start_thread = [](pthread_t* thread,
                                                    const pthread_attr_t* attributes,
                                                    void* (*body)(void*), void* argument) {
    if (left-- > 0) return pthread_create(thread, attributes, body, argument);
    errno = ENOMEM;  // as mmap leaves it
    return EAGAIN;
  }};
  for (const int threads : {0, 1}) {
    left = threads;
    errno = 77;
    expect_defaults(calibrate(limited), CostNote::kNoThreads);
    EXPECT_EQ(errno, 77);
  }
  left = 2;
  EXPECT_NE(calibrate(limited).context_switch.note, CostNote::kNoThreads);
}

// A thousand times slower than any machine: time runs out after two switches.
TEST(Calibration, AssumesDefaultsWhereSwitchesTakeSlices) {
  const Calibration calibration = calibrate({.now_ns = [] { return monotonic_ns() * 1000; }});
  if (allowed_cpus() > 1) {
    expect_defaults(calibration, CostNote::kBesideLoad);
  } else {
    EXPECT_EQ(calibration.context_switch.note, CostNote::kBesideLoad);
    EXPECT_EQ(calibration.context_switch.ns, kDefaultContextSwitchNs);
  }
}

// A few good switches, then a long slice of another process: too few to be accepted.
TEST(Calibration, DoesNotBelieveTooFewRepeats) {
  const Calibration calibration = calibrate({.now_ns = [] {
    static std::atomic<unsigned> reads{0};
    return monotonic_ns() + (reads.fetch_add(1) > 8 ? 1'000'000'000 : 0);
  }});
  EXPECT_EQ(calibration.context_switch.note, CostNote::kBesideLoad);
  EXPECT_EQ(calibration.context_switch.ns, kDefaultContextSwitchNs);
}

// A thousand times faster than any machine: out of bounds.
TEST(Calibration, AssumesDefaultsBeyondBounds) {
  on_one_cpu([] {
    const Calibration calibration = calibrate({.now_ns = [] { return monotonic_ns() / 1000; }});
    EXPECT_EQ(calibration.context_switch.note, CostNote::kBeyondBounds);
    EXPECT_EQ(calibration.context_switch.ns, kDefaultContextSwitchNs);
    EXPECT_EQ(calibration.wake_call.note, CostNote::kBeyondBounds);
    EXPECT_EQ(calibration.wake.ns, kDefaultContextSwitchNs);
  });
}

// A clock that stands still, steps back or jumps must not make it hang or return nonsense.
TEST(Calibration, SurvivesABrokenClock) {
  expect_within_bounds(calibrate({.now_ns = [] { return std::uint64_t{42}; }}));
  expect_within_bounds(calibrate({.now_ns = [] {
    static std::atomic<std::uint64_t> time{1'000'000'000};
    return time.fetch_sub(1'000);
  }}));
  expect_within_bounds(calibrate({.now_ns = [] {
    static std::atomic<std::uint64_t> time{0};
    return time.fetch_add(1'000'000'000);
  }}));
}

TEST(Calibration, LeavesTheCallerAsItWas) {
  AffinityMask mask_before;
  ASSERT_TRUE(mask_before.read());
  sigset_t signals_before;
  sigemptyset(&signals_before);
  sigaddset(&signals_before, SIGUSR1);
  pthread_sigmask(SIG_SETMASK, &signals_before, nullptr);
  errno = 77;
  calibrate();
  EXPECT_EQ(errno, 77);
  AffinityMask mask_after;
  ASSERT_TRUE(mask_after.read());
  EXPECT_TRUE(mask_after == mask_before);
  sigset_t signals_after;
  pthread_sigmask(SIG_SETMASK, nullptr, &signals_after);
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGALRM}) {
    EXPECT_EQ(sigismember(&signals_after, signal), sigismember(&signals_before, signal));
  }
}

TEST(Calibration, TheLeastIsMeasuredBeforeAssumed) {
  const Cost slow{3'000, CostNote::kMeasured, 10};
  const Cost quick{1'000, CostNote::kMeasured, 20};
  const Cost assumed{500, CostNote::kBesideLoad, 0};
  const Cost other{500, CostNote::kOneCpu, 0};
  const Calibration least =
      least_of({slow, assumed, assumed}, {quick, slow, {700, CostNote::kNoThreads, 0}});
  EXPECT_EQ(least.context_switch.ns, 1'000U);
  EXPECT_EQ(least.context_switch.repeats, 30U);
  EXPECT_EQ(least.wake.ns, 3'000U);
  EXPECT_EQ(least.wake.repeats, 10U);
  EXPECT_FALSE(least.wake_call.measured());
  EXPECT_EQ(least_of({quick, other, quick}, {slow, other, quick}).wake.ns, 1'000U)
      << "on one CPU it stays the context switch's";
}

}  // namespace
}  // namespace muster::test
