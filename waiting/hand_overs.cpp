// First both threads share a CPU and hand over to each other; then one of them moves to another CPU,
// goes to sleep there, and is woken from here.
#include "waiting/hand_overs.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <atomic>

#include "platform/affinity.h"
#include "platform/cpus.h"
#include "platform/futex.h"
#include "platform/pause.h"

namespace muster {
namespace {

constexpr unsigned kRoundTrips = 32;  // some 0.1 ms: it delays the first barrier
constexpr unsigned kWakes = 6;        // some 0.1 ms
constexpr std::uint64_t kLongestRoundTripsNs = 5'000'000;  // beside load they take slices
constexpr std::uint64_t kLongestWakesNs = 3'000'000;
// From saying "I go to sleep" to being off the CPU takes a thread 1 us or so.
constexpr std::uint64_t kSurelyAsleepNs = 6'000;
constexpr unsigned kMostLooks = 100'000;  // at a clock that may stand still
constexpr unsigned kPollsPerClockRead = 64;

using Word = std::atomic<std::uint32_t>;
constexpr std::uint32_t kOver = ~std::uint32_t{0};

struct Game {
  const CalibrationMeans& means;
  HandOvers times{};
  bool one_cpu = true;
  AffinityMask others{};       // of the allowed CPUs, for the second half
  Word turn{0};                // 0: ping's, 1: pong's, kOver
  Word rung{0};                // the sleeper's bell: the number of the last wake, or kOver
  Word lying{0};               // the wake that the sleeper is about to sleep for, counted from 1
  Word woken{0};               // the last wake that it has answered
  std::uint64_t woken_ns = 0;  // when; published by `woken`
};

void wait_while(Word& word, std::uint32_t value) {
  while (word.load(std::memory_order_acquire) == value) futex_wait(word, value, /*limited=*/false);
}

unsigned ring(Word& word, std::uint32_t value) {
  word.store(value, std::memory_order_release);
  return futex_wake_all(word);
}

void make_round_trips(Game& game) {
  Repeats& trips = game.times.round_trip;
  const auto now_ns = game.means.now_ns;
  const std::uint64_t begin = now_ns();
  for (unsigned trip = 0; trip < kRoundTrips && !trips.time_ran_out; ++trip) {
    const std::uint64_t start = now_ns();
    const unsigned sleepers = ring(game.turn, 1);
    if (game.one_cpu && sleepers != 0) game.times.wake_call.add(now_ns() - start);
    wait_while(game.turn, 1);
    const std::uint64_t end = now_ns();
    if (sleepers != 0) trips.add(end - start);
    trips.time_ran_out = end - begin > kLongestRoundTripsNs;
  }
  if (game.one_cpu) game.times.wake_call.time_ran_out = trips.time_ran_out;
}

// Polls until the word has that value; false when it is later than `until_ns`.
bool poll(const Game& game, const Word& word, std::uint32_t value, std::uint64_t until_ns) {
  for (unsigned polls = 1; word.load(std::memory_order_acquire) != value; ++polls) {
    if (polls % kPollsPerClockRead == 0 && game.means.now_ns() > until_ns) return false;
    cpu_pause();
  }
  return true;
}

void wake_again_and_again(Game& game) {
  Repeats& wakes = game.times.wake;
  const auto now_ns = game.means.now_ns;
  const std::uint64_t until = now_ns() + kLongestWakesNs;
  for (std::uint32_t wake = 1; wake <= kWakes; ++wake) {
    wakes.time_ran_out = true;
    if (!poll(game, game.lying, wake, until)) break;
    const std::uint64_t from = now_ns();
    for (unsigned looks = 0; looks < kMostLooks && now_ns() - from < kSurelyAsleepNs; ++looks) {
      cpu_pause();
    }
    const std::uint64_t start = now_ns();
    const unsigned sleepers = ring(game.rung, wake);
    const std::uint64_t end = now_ns();
    if (!poll(game, game.woken, wake, until)) break;
    wakes.time_ran_out = false;
    // Without a sleeper it had not got as far as the kernel: that was no wake.
    if (sleepers == 0 || game.woken_ns < start) continue;
    wakes.add(game.woken_ns - start);
    game.times.wake_call.add(end - start);
  }
  game.times.wake_call.time_ran_out = wakes.time_ran_out;
  ring(game.rung, kOver);
}

void sleep_again_and_again(Game& game) {
  for (std::uint32_t wake = 1;; ++wake) {
    game.lying.store(wake, std::memory_order_release);
    wait_while(game.rung, wake - 1);
    if (game.rung.load(std::memory_order_acquire) == kOver) return;
    game.woken_ns = game.means.now_ns();
    game.woken.store(wake, std::memory_order_release);
  }
}

// The second half needs both, so ping learns from `turn` whether pong could move.
constexpr std::uint32_t kMoved = 2;
constexpr std::uint32_t kStays = 3;

void* ping(void* argument) {
  auto& game = *static_cast<Game*>(argument);
  make_round_trips(game);
  ring(game.turn, kOver);
  wait_while(game.turn, kOver);
  game.times.other_cpu = game.turn.load(std::memory_order_acquire) == kMoved;
  if (game.times.other_cpu) wake_again_and_again(game);
  return nullptr;
}

void* pong(void* argument) {
  auto& game = *static_cast<Game*>(argument);
  for (;;) {
    wait_while(game.turn, 0);
    if (game.turn.load(std::memory_order_acquire) == kOver) break;
    ring(game.turn, 0);
  }
  const bool moved = !game.one_cpu && game.others.apply();
  ring(game.turn, moved ? kMoved : kStays);
  if (moved) sleep_again_and_again(game);
  return nullptr;
}

// Both threads start on one CPU and take no signals: those are the host program's.
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

  bool start(pthread_t& thread, void* (*body)(void*), Game& game) {
    return game.means.start_thread(&thread, &attributes_, body, &game) == 0;
  }

 private:
  pthread_attr_t attributes_;
  sigset_t before_;
};

}  // namespace

HandOvers time_hand_overs(const CalibrationMeans& means) {
  Game game{.means = means};
  // Where futex is denied there is nothing to time, and to start a thread on a CPU of one's choice
  // would end the process: the C library makes the new thread wait for that by futex.
  try_futex();
  if (times_missing(Missing::kFutex) != 0) return game.times;
  const unsigned cpu = current_cpu();
  bool cpus_known = true;
  if (means.cpus != nullptr) {
    game.others = *means.cpus;
  } else {
    cpus_known = game.others.read();
  }
  if (cpus_known && cpu < AffinityMask::kMaxCpus) {
    game.others.clear(cpu);
    game.one_cpu = game.others.count() == 0;
  }
  pthread_t pinger;
  pthread_t ponger;
  OneCpu one(cpu);
  if (!one.start(ponger, pong, game)) return game.times;
  if (!one.start(pinger, ping, game)) {
    game.one_cpu = true;  // pong does not move
    ring(game.turn, kOver);
    pthread_join(ponger, nullptr);
    return game.times;
  }
  pthread_join(pinger, nullptr);
  pthread_join(ponger, nullptr);
  game.times.threads_made = true;
  return game.times;
}

}  // namespace muster
