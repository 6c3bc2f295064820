// First both threads share a CPU and wake each other in turn. Then one of them moves to another CPU, sleeps there, and
// is woken from this one.
#include "waiting/switch_timing.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>

#include <atomic>

#include "platform/affinity.h"
#include "platform/cpus.h"
#include "platform/futex.h"
#include "platform/optional_calls.h"
#include "platform/pause.h"

namespace muster {
namespace {

constexpr unsigned kRoundTrips = 32;  // about 0.1 ms: it delays the first barrier
constexpr unsigned kWakes = 6;        // about 0.1 ms
constexpr std::uint64_t kLongestRoundTripsNs = 5'000'000;  // under load each takes slices
constexpr std::uint64_t kLongestWakesNs = 3'000'000;
// A thread needs about 1 us from announcing its sleep to being off the CPU.
constexpr std::uint64_t kSurelyAsleepNs = 6'000;
constexpr unsigned kMostLooks = 100'000;  // of a clock that may stand still
constexpr unsigned kPollsPerClockRead = 64;

using Word = std::atomic<std::uint32_t>;
constexpr std::uint32_t kOver = ~std::uint32_t{0};

struct PingPong {
  const CalibrationMeans& means;
  SwitchTimes times{};
  bool one_cpu = true;
  AffinityMask others{};  // of the allowed CPUs, for the second half
  Word turn{0};           // 0: ping's, 1: pong's, kOver
  Word wake_number{
      0};  // the word that the sleeper sleeps on: the number of the last wake, or kOver
  Word about_to_sleep{0};      // the wake that the sleeper is about to sleep for, counted from 1
  Word woken{0};               // the last wake that the sleeper has answered
  std::uint64_t woken_ns = 0;  // when; published by `woken`
};

void wait_while(Word& word, std::uint32_t value) {
  while (word.load(std::memory_order_acquire) == value) futex_wait(word, value, /*limited=*/false);
}

unsigned store_and_wake(Word& word, std::uint32_t value) {
  word.store(value, std::memory_order_release);
  return futex_wake_all(word);
}

void time_round_trips(PingPong& state) {
  Repeats& trips = state.times.round_trip;
  const auto now_ns = state.means.now_ns;
  const std::uint64_t begin = now_ns();
  for (unsigned trip = 0; trip < kRoundTrips && !trips.time_ran_out; ++trip) {
    const std::uint64_t start = now_ns();
    const unsigned sleepers = store_and_wake(state.turn, 1);
    if (state.one_cpu && sleepers != 0) state.times.wake_call.add(now_ns() - start);
    wait_while(state.turn, 1);
    const std::uint64_t end = now_ns();
    if (sleepers != 0) trips.add(end - start);
    trips.time_ran_out = end - begin > kLongestRoundTripsNs;
  }
  if (state.one_cpu) state.times.wake_call.time_ran_out = trips.time_ran_out;
}

// Polls until the word has that value; false if that takes until `until_ns`.
bool poll(const PingPong& state, const Word& word, std::uint32_t value, std::uint64_t until_ns) {
  for (unsigned polls = 1; word.load(std::memory_order_acquire) != value; ++polls) {
    if (polls % kPollsPerClockRead == 0 && state.means.now_ns() > until_ns) return false;
    cpu_pause();
  }
  return true;
}

void time_wakes(PingPong& state) {
  Repeats& wakes = state.times.wake;
  const auto now_ns = state.means.now_ns;
  const std::uint64_t until = now_ns() + kLongestWakesNs;
  for (std::uint32_t wake = 1; wake <= kWakes; ++wake) {
    wakes.time_ran_out = true;
    if (!poll(state, state.about_to_sleep, wake, until)) break;
    const std::uint64_t from = now_ns();
    for (unsigned looks = 0; looks < kMostLooks && now_ns() - from < kSurelyAsleepNs; ++looks) {
      cpu_pause();
    }
    const std::uint64_t start = now_ns();
    const unsigned sleepers = store_and_wake(state.wake_number, wake);
    const std::uint64_t end = now_ns();
    if (!poll(state, state.woken, wake, until)) break;
    wakes.time_ran_out = false;
    // Without a sleeper the other thread had not reached the kernel yet: that was no wake.
    if (sleepers == 0 || state.woken_ns < start) continue;
    wakes.add(state.woken_ns - start);
    state.times.wake_call.add(end - start);
  }
  state.times.wake_call.time_ran_out = wakes.time_ran_out;
  store_and_wake(state.wake_number, kOver);
}

void sleep_and_answer(PingPong& state) {
  for (std::uint32_t wake = 1;; ++wake) {
    state.about_to_sleep.store(wake, std::memory_order_release);
    wait_while(state.wake_number, wake - 1);
    if (state.wake_number.load(std::memory_order_acquire) == kOver) return;
    state.woken_ns = state.means.now_ns();
    state.woken.store(wake, std::memory_order_release);
  }
}

// The second half needs both threads: pong stores in `turn` whether it could move.
constexpr std::uint32_t kMoved = 2;
constexpr std::uint32_t kStays = 3;

void* ping(void* argument) {
  auto& state = *static_cast<PingPong*>(argument);
  time_round_trips(state);
  store_and_wake(state.turn, kOver);
  wait_while(state.turn, kOver);
  state.times.other_cpu = state.turn.load(std::memory_order_acquire) == kMoved;
  if (state.times.other_cpu) time_wakes(state);
  return nullptr;
}

void* pong(void* argument) {
  auto& state = *static_cast<PingPong*>(argument);
  for (;;) {
    wait_while(state.turn, 0);
    if (state.turn.load(std::memory_order_acquire) == kOver) break;
    store_and_wake(state.turn, 0);
  }
  const bool moved = !state.one_cpu && state.others.apply();
  store_and_wake(state.turn, moved ? kMoved : kStays);
  if (moved) sleep_and_answer(state);
  return nullptr;
}

// Starts both threads on one CPU, with all signals blocked: those are for the host program.
class OneCpu {
 public:
  explicit OneCpu(unsigned cpu) {
    pthread_attr_init(&attributes_);
    if (cpu < CPU_SETSIZE) {
      cpu_set_t cpus;
      CPU_ZERO(&cpus);
      CPU_SET(cpu, &cpus);
      pthread_attr_setaffinity_np(&attributes_, sizeof(cpus), &cpus);
    }
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~OneCpu() {
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    pthread_attr_destroy(&attributes_);
  }
  OneCpu(const OneCpu&) = delete;
  OneCpu& operator=(const OneCpu&) = delete;

  bool start(pthread_t& thread, void* (*body)(void*), PingPong& state) {
    return state.means.start_thread(&thread, &attributes_, body, &state) == 0;
  }

 private:
  pthread_attr_t attributes_;
  sigset_t before_;
};

}  // namespace

SwitchTimes time_switches(const CalibrationMeans& means) {
  PingPong state{.means = means};
  // Without futex there is nothing to time. And starting a thread with an affinity attribute would end the process: the
  // C library makes the new thread wait by futex until its affinity is set.
  // Without affinity, too, both threads would be anywhere; after a filter, there may be no new threads at all.
  const OptionalCalls calls;
  if (!calls.allow(SYS_sched_setaffinity) || !calls.allow(SYS_rt_sigprocmask)) return state.times;
  try_futex();
  if (times_missing(Missing::kFutex) != 0) return state.times;
  const unsigned cpu = current_cpu();
  bool cpus_known = true;
  if (means.cpus != nullptr) {
    state.others = *means.cpus;
  } else {
    cpus_known = state.others.read();
  }
  if (cpus_known && cpu < AffinityMask::kMaxCpus) {
    state.others.clear(cpu);
    state.one_cpu = state.others.count() == 0;
  }
  pthread_t pinger;
  pthread_t ponger;
  OneCpu one(cpu);
  if (!one.start(ponger, pong, state)) return state.times;
  if (!one.start(pinger, ping, state)) {
    state.one_cpu = true;  // pong does not move
    store_and_wake(state.turn, kOver);
    pthread_join(ponger, nullptr);
    return state.times;
  }
  pthread_join(pinger, nullptr);
  pthread_join(ponger, nullptr);
  state.times.threads_made = true;
  return state.times;
}

}  // namespace muster
