#include "waiting/context_switch_cost.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <atomic>

#include "platform/clock.h"
#include "platform/futex.h"

namespace muster {
namespace {

constexpr unsigned kRoundTrips = 64;  // some 0.2 ms: it delays the first barrier
constexpr std::uint64_t kLongestMeasurementNs =
    5'000'000;  // beside a busy process trips take slices
constexpr std::uint64_t kLeastNs = 200;
constexpr std::uint64_t kMostNs = 50'000;

struct PingPong {
  std::atomic<std::uint32_t> turn{0};  // 0: ping's, 1: pong's, 2: over
  std::uint64_t fastest_round_trip_ns = ~std::uint64_t{0};
};

void wait_while(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  while (word.load(std::memory_order_acquire) == value) futex_wait(word, value, /*limited=*/false);
}

void hand_over(std::atomic<std::uint32_t>& word, std::uint32_t to) {
  word.store(to, std::memory_order_release);
  futex_wake_all(word);
}

void* ping(void* argument) {
  auto& game = *static_cast<PingPong*>(argument);
  const std::uint64_t begin = monotonic_ns();
  for (unsigned trip = 0; trip < kRoundTrips; ++trip) {
    const std::uint64_t start = monotonic_ns();
    hand_over(game.turn, 1);
    wait_while(game.turn, 1);
    const std::uint64_t now = monotonic_ns();
    if (now - start < game.fastest_round_trip_ns) game.fastest_round_trip_ns = now - start;
    if (now - begin > kLongestMeasurementNs) break;
  }
  hand_over(game.turn, 2);
  return nullptr;
}

void* pong(void* argument) {
  auto& game = *static_cast<PingPong*>(argument);
  for (;;) {
    wait_while(game.turn, 0);
    if (game.turn.load(std::memory_order_acquire) == 2) return nullptr;
    hand_over(game.turn, 0);
  }
}

// Both threads start on one CPU and take no signals: those are the host program's.
class OneCpu {
 public:
  OneCpu() {
    pthread_attr_init(&attributes_);
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    const int cpu = sched_getcpu();
    if (cpu >= 0 && cpu < CPU_SETSIZE) {
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

  bool start(pthread_t& thread, void* (*body)(void*), void* argument) {
    return pthread_create(&thread, &attributes_, body, argument) == 0;
  }

 private:
  pthread_attr_t attributes_;
  sigset_t before_;
};

std::uint64_t measure() {
  PingPong game;
  pthread_t pinger;
  pthread_t ponger;
  OneCpu cpu;
  if (!cpu.start(ponger, pong, &game)) return kDefaultContextSwitchNs;
  if (!cpu.start(pinger, ping, &game)) {
    hand_over(game.turn, 2);
    pthread_join(ponger, nullptr);
    return kDefaultContextSwitchNs;
  }
  pthread_join(pinger, nullptr);
  pthread_join(ponger, nullptr);
  const std::uint64_t one_way = game.fastest_round_trip_ns / 2;
  return one_way >= kLeastNs && one_way <= kMostNs ? one_way : kDefaultContextSwitchNs;
}

std::atomic<std::uint64_t> g_measured{0};

}  // namespace

std::uint64_t context_switch_ns() {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, [] { g_measured.store(measure(), std::memory_order_release); });
  return g_measured.load(std::memory_order_acquire);
}

std::uint64_t context_switch_ns_if_measured() { return g_measured.load(std::memory_order_acquire); }

}  // namespace muster
