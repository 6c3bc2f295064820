// Where threads are placed and how long their turns are: asked for, and given back.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <thread>

#include "platform/idle_time.h"
#include "platform/scheduler_asks.h"
#include "platform/slice.h"
#include "platform/thread_place.h"

namespace muster::test {
namespace {

// In a thread of its own, so that the runner's affinity and nice value stay what they are.
template <class Body>
void in_a_thread(Body&& body) {
  std::thread(body).join();
}

TEST(Place, IsGivenBack) {
  in_a_thread([] {
    AffinityMask before;
    ASSERT_TRUE(before.read());
    if (before.count() < 2) GTEST_SKIP() << "one CPU";
    const unsigned cpu = before.nth(1);
    ASSERT_TRUE(stay_on(cpu));
    EXPECT_EQ(stays_on(), cpu);
    AffinityMask now;
    ASSERT_TRUE(now.read());
    EXPECT_EQ(now, AffinityMask::only(cpu));
    ASSERT_TRUE(own_affinity(now));
    EXPECT_EQ(now, before);
    ASSERT_TRUE(stay_on(before.nth(0))) << "and from there to another";
    give_place_back();
    EXPECT_EQ(stays_on(), kNoCpu);
    ASSERT_TRUE(now.read());
    EXPECT_EQ(now, before);
  });
}

TEST(Place, LeavesWhatSomebodyElseSet) {
  in_a_thread([] {
    AffinityMask before;
    ASSERT_TRUE(before.read());
    if (before.count() < 2) GTEST_SKIP() << "one CPU";
    ASSERT_TRUE(stay_on(before.nth(0)));
    ASSERT_TRUE(AffinityMask::only(before.nth(1)).apply());  // as taskset from outside would
    give_place_back();
    AffinityMask now;
    ASSERT_TRUE(now.read());
    EXPECT_EQ(now, AffinityMask::only(before.nth(1)));
    EXPECT_FALSE(stay_on(before.nth(1))) << "a thread with one CPU has been placed already";
    EXPECT_FALSE(stay_on(before.nth(0))) << "not among its CPUs";
  });
}

TEST(AffinityMask, HasNoPlaceForCpusBeyondItsLast) {
  AffinityMask mask = AffinityMask::only(AffinityMask::kMaxCpus);
  mask.set(kNoCpu);
  EXPECT_EQ(mask.count(), 0U);
  mask.set(3);
  mask.clear(AffinityMask::kMaxCpus + 3);
  EXPECT_TRUE(mask.has(3));
}

TEST(IdleTime, IsTakenFromTheAllowedCpus) {
  const char* text =
      "cpu  100 0 100 1000 7 0 0 0 0 0\n"
      "cpu0 50 0 50 300 3 0 0 0 0 0\n"
      "cpu1 50 0 50 500 4 0 0 0 0 0\n"
      "cpu3 0 0 0 200 0 0 0 0 0 0\n"
      "intr 12345 1 2\n";
  AffinityMask mask = AffinityMask::only(0);
  mask.set(1);
  constexpr std::uint64_t kTickNs = 10'000'000;
  EXPECT_EQ(idle_ns_in(text, mask, kNoCpu), 800 * kTickNs);
  EXPECT_EQ(idle_ns_in(text, mask, 0), 500 * kTickNs);
  EXPECT_EQ(idle_ns_in(text, AffinityMask::only(2), kNoCpu), kIdleTimeUnknown);
  for (const char* nonsense : {"", "\n", "cpu", "cpu0", "cpux 1 2 3 4\n", "intr 1\n"}) {
    EXPECT_EQ(idle_ns_in(nonsense, mask, kNoCpu), kIdleTimeUnknown) << nonsense;
  }
}

TEST(SchedulerAsks, AreATenthOfAMillisecondApart) {
  in_a_thread([] {
    EXPECT_TRUE(may_ask_scheduler(1'000'000'000)) << "the first";
    EXPECT_TRUE(may_ask_scheduler(1'000'000'000)) << "another one in the same wait";
    EXPECT_FALSE(may_ask_scheduler(1'000'099'999));
    EXPECT_TRUE(may_ask_scheduler(1'000'100'000));
    EXPECT_FALSE(may_ask_scheduler(1'000'199'999));
    EXPECT_TRUE(may_ask_scheduler(999'000'000)) << "the clock went back";
  });
}

TEST(Slice, IsGivenBack) {
  in_a_thread([] {
    if (!ask_for_slice(200'000)) GTEST_SKIP() << "no slices on this kernel";
    EXPECT_TRUE(has_own_slice());
    EXPECT_TRUE(ask_for_slice(200'000)) << "again";
    give_slice_back();
    EXPECT_FALSE(has_own_slice());
    EXPECT_TRUE(ask_for_slice(200'000)) << "it is the kernel's slice again";
    give_slice_back();
  });
}

TEST(Slice, ANiceThreadIsNotTouched) {
  in_a_thread([] {
    ASSERT_EQ(setpriority(PRIO_PROCESS, 0, 5), 0);  // of this thread, on Linux
    EXPECT_FALSE(ask_for_slice(200'000));
    EXPECT_FALSE(has_own_slice());
  });
}

}  // namespace
}  // namespace muster::test
