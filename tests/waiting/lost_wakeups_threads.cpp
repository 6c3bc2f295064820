// The same test as lost_wakeups_simulated.cpp, with real threads, real fences and the real futex: every policy on every
// algorithm with random delays before arrivals. A watchdog prints the policy and the episode where the team is stuck.
//
//   lost_wakeups_threads [SEED]
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "platform/clock.h"
#include "platform/cpus.h"
#include "tests/support/team_harness.h"
#include "waiting/random.h"

namespace muster::test {
namespace {

constexpr unsigned kMostThreads = 3;
constexpr unsigned kTicksOfPatience = 600;

struct alignas(kCoherenceGranule) Place {
  std::atomic<Episode> arrived{0};
};

Place g_places[kMostThreads];
std::atomic<WaitKind> g_wait;
std::atomic<BarrierKind> g_barrier;
std::atomic<unsigned> g_size{0};
std::atomic<bool> g_over{false};
std::uint64_t g_seed = 1;

// Counts its own ticks of a tenth of a second instead of reading the clock: a process that is stopped for a while is
// not stuck.
void report_when_stuck() {
  Episode before = 0;
  for (unsigned quiet = 0; !g_over.load(); ++quiet) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    Episode sum = 0;
    for (const Place& place : g_places) sum += place.arrived.load();
    if (sum != before) quiet = 0;
    before = sum;
    if (quiet < kTicksOfPatience) continue;
    std::fprintf(
        stderr,
        "%s on %s, team of %u, seed %" PRIu64 ": stuck at episode %" PRIu64 ", thread by thread",
        name_of(g_wait), name_of(g_barrier), g_size.load(), g_seed, g_places[0].arrived.load());
    for (const Place& place : g_places) std::fprintf(stderr, " %" PRIu64, place.arrived.load());
    std::fprintf(stderr, "\n");
    std::_Exit(1);
  }
}

// Mostly nothing; otherwise up to 8 us of work, and now and then a sleep.
void delay(MixedNumbers& numbers) {
  const std::uint32_t drawn = numbers.next();
  if (drawn % 1024 == 0) {
    std::this_thread::sleep_for(std::chrono::microseconds(drawn >> 25));
  } else if (drawn % 16 < 3) {
    const std::uint64_t until_ns = monotonic_ns() + (drawn >> 19);
    while (monotonic_ns() < until_ns) {
    }
  }
}

bool run(Episode episodes) {
  const unsigned size = g_size;
  TestTeam<NativeMemory> team(g_barrier, g_wait, size);
  if (!team.made()) return false;
  std::atomic<bool> right{true};
  team.run([&](unsigned me) {
    MixedNumbers numbers(g_seed ^ std::uint64_t{me + 1} << 40);
    for (Episode episode = 1; episode <= episodes; ++episode) {
      delay(numbers);
      g_places[me].arrived.store(episode, std::memory_order_relaxed);
      if (!team.arrive(me, episode)) right = false;
      for (unsigned other = 0; other < size; ++other) {
        if (g_places[other].arrived.load(std::memory_order_relaxed) < episode) right = false;
      }
    }
  });
  for (Place& place : g_places) place.arrived = 0;
  return right;
}

// For one policy. Policies that never sleep are fast as long as each thread has a CPU.
Episode episodes_of(WaitKind wait) {
  if (wait == WaitKind::kSpin && allowed_cpus() < 2) return 160;
  return wait == WaitKind::kSpin || wait == WaitKind::kYield ? 1'000'000 : 100'000;
}

int run_all(std::uint64_t times) {
  for (const WaitKind wait : policies()) {
    const std::vector<BarrierKind> kinds = algorithms();
    const unsigned sizes =
        wait == WaitKind::kSpin ? 1 : 2;  // three spinning threads need three CPUs
    const std::uint64_t runs = kinds.size() * sizes;
    const Episode episodes = (episodes_of(wait) * times + runs - 1) / runs;
    for (const BarrierKind barrier : kinds) {
      for (unsigned size = 2; size < 2 + sizes; ++size) {
        g_wait = wait;
        g_barrier = barrier;
        g_size = size;
        ++g_seed;
        if (run(episodes)) continue;
        std::fprintf(stderr, "%s on %s, team of %u, seed %" PRIu64 ": let through too early\n",
                     name_of(wait), name_of(barrier), size, g_seed);
        return 1;
      }
    }
    std::printf("%-12s %9" PRIu64 " episodes\n", name_of(wait), episodes * runs);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace muster::test

int main(int count, char** arguments) {
  using namespace muster::test;
  if (count > 1) g_seed = std::strtoull(arguments[1], nullptr, 10);
  const char* times = std::getenv("MUSTER_TEST_TIMES");
  std::thread watchdog(report_when_stuck);
  const int status = run_all(times != nullptr ? std::strtoull(times, nullptr, 10) : 1);
  g_over = true;
  watchdog.join();
  return status;
}
