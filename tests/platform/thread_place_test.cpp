// Moving threads to other CPUs; requesting time slices and giving them back.
#include "platform/thread_place.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "platform/native_scheduler.h"
#include "platform/scheduler_asks.h"
#include "platform/slice.h"

namespace muster::test {
namespace {

// In a thread of its own, so that the runner's affinity and nice value do not change.
template <class Body>
void in_a_thread(Body&& body) {
  std::thread(body).join();
}

TEST(Place, IsAnotherAndTheMaskTheSame) {
  in_a_thread([] {
    AffinityMask before;
    ASSERT_TRUE(before.read());
    if (before.count() < 2) GTEST_SKIP() << "one CPU";
    sigset_t signals;
    pthread_sigmask(SIG_SETMASK, nullptr, &signals);
    const bool blocked = sigismember(&signals, SIGUSR1) != 0;
    errno = 42;
    for (unsigned turn = 0; turn < 10; ++turn) {
      ASSERT_TRUE(move_to(before.nth(turn % 2)));
      ASSERT_TRUE(leave_cpu(current_cpu()));
      AffinityMask now;
      ASSERT_TRUE(now.read());
      EXPECT_EQ(now, before);
    }
    EXPECT_EQ(errno, 42);
    pthread_sigmask(SIG_SETMASK, nullptr, &signals);
    EXPECT_EQ(sigismember(&signals, SIGUSR1) != 0, blocked);
  });
}

// A mask that is narrower than that of the machine.
TEST(Place, IsOneOfTheThreads) {
  in_a_thread([] {
    AffinityMask before;
    ASSERT_TRUE(before.read());
    if (before.count() < 2) GTEST_SKIP() << "one CPU";
    const AffinityMask one = AffinityMask::only(before.nth(1));
    ASSERT_TRUE(one.apply());
    EXPECT_FALSE(move_to(before.nth(1))) << "a thread with one CPU has been placed already";
    EXPECT_FALSE(move_to(before.nth(0))) << "not among its CPUs";
    EXPECT_FALSE(leave_cpu(before.nth(1)));
    AffinityMask now;
    ASSERT_TRUE(now.read());
    EXPECT_EQ(now, one);
  });
}

// In a process of its own, since the effect is permanent. Threads move all the time, and one sets their masks: from
// then on they have the masks that it set.
// Two copies of a program that use half of the machine each would otherwise share that half.
TEST(Place, OwnCpusDifferWithinATeamAndBeginElsewhereInOtherProcesses) {
  AffinityMask mask;
  ASSERT_TRUE(mask.read());
  if (mask.count() < 2) GTEST_SKIP() << "one CPU";
  std::set<unsigned> cpus;
  for (unsigned thread = 0; thread < mask.count(); ++thread)
    cpus.insert(NativeScheduler::cpu_for_thread(thread, mask.count()));
  EXPECT_EQ(cpus.size(), mask.count());
  for (const unsigned cpu : cpus) EXPECT_TRUE(mask.has(cpu));
  std::set<int> firsts;
  for (int process = 0; process < 16; ++process) {
    // Each process may take a number for a thread of a sanitizer's, too: not all numbers may be even.
    if (process % 3 == 2) std::thread([] {}).join();
    const pid_t child = fork();
    if (child == 0) _exit(static_cast<int>(NativeScheduler::cpu_for_thread(0, 1) % 256));
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    firsts.insert(WEXITSTATUS(status));
  }
  EXPECT_GT(firsts.size(), 1U);
}

TEST(Place, IsLeftToWhoeverSetsAnotherThreadsMask) {
  AffinityMask all;
  ASSERT_TRUE(all.read());
  if (all.count() < 2) GTEST_SKIP() << "one CPU";
  const pid_t child = fork();
  if (child == 0) {
    constexpr unsigned kThreads = 4;
    std::atomic<pid_t> numbers[kThreads] = {};
    std::atomic<unsigned> moved{0};
    std::atomic<bool> over{false};
    std::vector<std::thread> threads;
    for (auto& number : numbers) {
      threads.emplace_back([&] {
        number = gettid();
        for (unsigned turn = 0; !over; ++turn) {
          move_to(all.nth(turn % 2));
          if (turn == 10) ++moved;
        }
      });
    }
    int wrong = 0;
    while (moved < kThreads) std::this_thread::yield();
    end_moves();
    for (unsigned i = 0; i < kThreads; ++i) {
      const AffinityMask one = AffinityMask::only(all.nth(i % 2));
      unsigned long words[AffinityMask::kMaxCpus / 64] = {};
      std::memcpy(words, &one, sizeof(one));
      if (syscall(SYS_sched_setaffinity, numbers[i].load(), sizeof(words), words) != 0) ++wrong;
      unsigned long now[AffinityMask::kMaxCpus / 64] = {};
      for (int look = 0; look < 100; ++look) {
        syscall(SYS_sched_getaffinity, numbers[i].load(), sizeof(now), now);
        if (std::memcmp(words, now, sizeof(now)) != 0) ++wrong;
      }
    }
    if (move_to(all.nth(0)) || leave_cpu(current_cpu())) ++wrong;
    over = true;
    for (auto& thread : threads) thread.join();
    _exit(wrong == 0 ? 0 : 1);
  }
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(AffinityMask, HasNoPlaceForCpusBeyondItsLast) {
  AffinityMask mask = AffinityMask::only(AffinityMask::kMaxCpus);
  mask.set(kNoCpu);
  EXPECT_EQ(mask.count(), 0U);
  mask.set(3);
  mask.clear(AffinityMask::kMaxCpus + 3);
  EXPECT_TRUE(mask.has(3));
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
    EXPECT_TRUE(has_requested_slice());
    EXPECT_TRUE(ask_for_slice(200'000)) << "again";
    give_slice_back();
    EXPECT_FALSE(has_requested_slice());
    EXPECT_TRUE(ask_for_slice(200'000)) << "it is the kernel's slice again";
    give_slice_back();
  });
}

TEST(Slice, ANiceThreadIsNotTouched) {
  in_a_thread([] {
    ASSERT_EQ(setpriority(PRIO_PROCESS, 0, 5), 0);  // of this thread, on Linux
    EXPECT_FALSE(ask_for_slice(200'000));
    EXPECT_FALSE(has_requested_slice());
  });
}

}  // namespace
}  // namespace muster::test
