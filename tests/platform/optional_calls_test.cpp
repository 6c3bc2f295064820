// Each in a process of its own: optional calls end once.
#include "platform/optional_calls.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "platform/fences.h"
#include "platform/slice.h"
#include "platform/yield_cpu.h"

namespace muster {
namespace {

constexpr std::uint64_t kSliceNs = 200'000;

std::uint64_t slice_of(long thread) {
  std::uint32_t attributes[12] = {48};
  std::uint64_t slice = 0;
  if (syscall(SYS_sched_getattr, thread, attributes, sizeof(attributes), 0) != 0) return 0;
  __builtin_memcpy(&slice, attributes + 6, sizeof(slice));
  return slice;
}

struct Other {
  std::atomic<long> thread{0};
  std::atomic<bool> ends{false};
};

void run_in(pthread_t& thread, void* (*body)(void*), Other& other) {
  pthread_create(&thread, nullptr, body, &other);
  while (other.thread.load() == 0) nap(1'000);
}

TEST(OptionalCalls, AreMadeUntilTheyEnd) {
  const auto ends = [] {
    if (optional_call(SYS_sched_yield) != 0) _exit(1);
    end_optional_calls();
    if (!optional_calls_ended()) _exit(2);
    errno = 0;
    if (optional_call(SYS_sched_yield) != -1 || errno != ECANCELED) _exit(3);
    if (OptionalCalls().allow(SYS_sched_yield) || OptionalCalls().allow_all()) _exit(4);
    if (!heavy_fence()) _exit(5);  // both fences are full ones now
    give_way();
    _exit(0);
  };
  EXPECT_EXIT(ends(), ::testing::ExitedWithCode(0), "");
}

TEST(OptionalCalls, EndAfterThoseThatAreBeingMade) {
  const auto ends = [] {
    Other other;
    pthread_t thread;
    run_in(
        thread,
        [](void* argument) -> void* {
          auto& me = *static_cast<Other*>(argument);
          const OptionalCalls calls;
          me.thread.store(1);
          while (!optional_calls_ended()) nap(1'000);
          nap(1'000'000);
          // What began before may go on, as a move that has to be undone.
          if (optional_call(SYS_sched_yield) != 0) _exit(1);
          me.ends.store(true);
          return nullptr;
        },
        other);
    end_optional_calls();
    _exit(other.ends.load() ? 0 : 2);
  };
  EXPECT_EXIT(ends(), ::testing::ExitedWithCode(0), "");
}

TEST(OptionalCalls, GiveTheSlicesOfOtherThreadsBack) {
  const std::uint64_t kernels = slice_of(0);
  if (!ask_for_slice(kSliceNs)) GTEST_SKIP() << "no slices here";
  give_slice_back();
  const auto ends = [kernels] {
    Other other;
    pthread_t thread;
    run_in(
        thread,
        [](void* argument) -> void* {
          auto& me = *static_cast<Other*>(argument);
          const long number = syscall(SYS_gettid);
          me.thread.store(ask_for_slice(kSliceNs) ? number : -1);
          while (!me.ends.load()) nap(1'000);
          give_slice_back();  // nothing to do, and nothing is asked
          return nullptr;
        },
        other);
    const long number = other.thread.load();
    if (number < 0 || slice_of(number) == kernels) _exit(1);
    end_optional_calls();
    if (slice_of(number) != kernels) _exit(2);
    other.ends.store(true);
    pthread_join(thread, nullptr);
    _exit(ask_for_slice(kSliceNs) ? 3 : 0);
  };
  EXPECT_EXIT(ends(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace muster
