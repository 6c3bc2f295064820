// No wake-up is lost under millions of barriers: every policy on every algorithm, in teams of two and three
// simulated threads with random delays, switches and unseen stores, whole barriers in half of the runs and regions'
// beginnings and ends in the others. Some instances are called off. A team that is stuck, or a thread that was let
// through early, is named with its seed, which repeats it.
//
//   lost_wakeups_simulated [--episodes N] [--policy NAME] [--seed S] [--run I] [--weak WHAT]
//
// N is for all policies together; run I of a policy comes first, which repeats one that failed. WHAT goes wrong on
// purpose: heavy-fence, full-fence, wake-call.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/support/store_order_memory.h"
#include "tests/support/team_harness.h"

namespace muster::test {
namespace {

constexpr Episode kRunEpisodes = 10'000;
constexpr unsigned kSizes[] = {2, 2, 3};  // most delays affect pairs

// Shares of a thousand episodes; the remainder goes to `block`, which is the cheapest and always sleeps.
unsigned share_of(WaitKind wait) {
  switch (wait) {
    case WaitKind::kBlock:
      return 0;
    case WaitKind::kAuto:
      return 50;
    default:
      return 20;
  }
}

struct Run {
  WaitKind wait;
  BarrierKind barrier;
  unsigned size;
  std::uint64_t seed;
  bool in_halves;  // as regions begin and end, with announcements
};

struct Sum {
  std::uint64_t episodes = 0;
  WaitStats stats;
};

bool is_called_off(Episode episode) { return episode % 16 == 7; }

// In halves: a release, a whole barrier, a gather, in turn.
constexpr Episode kTurn = 3;
bool is_release(Episode episode) { return episode % kTurn == 1; }
bool is_gather(Episode episode) { return episode % kTurn == 0; }

// Up to about 50 us before an arrival: nothing, less than any spin, about as long as one, longer.
void delay(SimulatedThreads& threads) {
  const std::uint32_t drawn = threads.draw();
  const std::uint32_t length = drawn >> 8;
  switch (drawn & 15) {
    case 0:
      return threads.delay(length % 50'000);
    case 1:
    case 2:
      return threads.delay(length % 8'000);
    case 3:
      return threads.delay(length % 1'000);
    default:
      return;
  }
}

// Stands for the runtime's barrier after an instance was called off.
void real_barrier(SimulatedThreads& threads, std::vector<Episode>& at, unsigned me,
                  Episode episode) {
  StoreOrderMemory::full_fence();  // all earlier stores are visible to threads that leave it
  at[me] = episode;
  for (const Episode& other : at) {
    while (other < episode) threads.delay(500);
  }
}

// One thread of a team, one run.
class Walk {
 public:
  Walk(const Run& which, SimulatedThreads& threads, TestTeam<StoreOrderMemory>& team)
      : which_(which),
        threads_(threads),
        team_(team),
        arrived_(which.size, 0),
        at_real_(which.size, 0) {}

  void barriers(unsigned me, Episode episodes) {
    for (Episode episode = 1; episode <= episodes && wrong.empty(); ++episode) {
      const bool called_off = arrive(me, episode);
      expect(called_off, team_.arrive(me, episode));
      threads_.made_progress();
      if (called_off) real_barrier(threads_, at_real_, me, episode);
      if (!all_have(episode)) wrong = "let through before all had arrived";
      name(episode);
    }
  }

  // A thread that leaves a called-off gather may learn of it only at the release.
  void regions(unsigned me, Episode episodes) {
    Episode unsure = kNoEpisode;
    for (Episode episode = 1; episode <= episodes && wrong.empty(); ++episode) {
      const bool called_off = arrive(me, episode) && !is_release(episode);
      if (is_release(episode)) {
        if (!team_.release(me, episode, unsure)) {
          if (unsure == kNoEpisode || !is_called_off(unsure)) wrong = "called off for nothing";
          real_barrier(threads_, at_real_, me, unsure);
          if (!team_.release(me, episode, kNoEpisode)) wrong = "a release called off";
        }
        unsure = kNoEpisode;
        if (arrived_[0] < episode) wrong = "released before the primary";
      } else if (is_gather(episode)) {
        const bool told = !team_.gather(me, episode);
        if (told && !called_off) wrong = "called off for nothing";
        if (told) real_barrier(threads_, at_real_, me, episode);
        if (!told) unsure = episode;
        if (me == 0 && (told != called_off || !all_have(episode))) wrong = "gathered too early";
      } else {
        expect(called_off, team_.arrive(me, episode));
        if (called_off) real_barrier(threads_, at_real_, me, episode);
        if (!all_have(episode)) wrong = "let through before all had arrived";
      }
      threads_.made_progress();
      name(episode);
    }
  }

  Episode arrived(unsigned thread) const { return arrived_[thread]; }
  std::string wrong;

 private:
  bool arrive(unsigned me, Episode episode) {
    delay(threads_);
    const bool called_off = is_called_off(episode) && !(which_.in_halves && is_release(episode));
    if (called_off && episode / 16 % which_.size == me) team_.call_off(me, episode);
    arrived_[me] = episode;
    return called_off;
  }

  void expect(bool called_off, bool released) {
    if (released == called_off) wrong = released ? "not called off" : "called off for nothing";
  }

  bool all_have(Episode episode) const {
    for (const Episode other : arrived_) {
      if (other < episode) return false;
    }
    return true;
  }

  void name(Episode episode) {
    if (!wrong.empty()) wrong += " at episode " + std::to_string(episode);
  }

  const Run& which_;
  SimulatedThreads& threads_;
  TestTeam<StoreOrderMemory>& team_;
  std::vector<Episode> arrived_;
  std::vector<Episode> at_real_;
};

// The error, or nothing.
std::string run(const Run& which, SimulatedThreads& threads, Episode episodes, Sum& sum) {
  g_threads = &threads;
  TestTeam<StoreOrderMemory> team(which.barrier, which.wait, which.size);
  if (!team.made()) return "no memory";
  team.announces = which.in_halves;
  Walk walk(which, threads, team);
  const auto body = [&](unsigned me) {
    if (which.in_halves) {
      walk.regions(me, episodes);
    } else {
      walk.barriers(me, episodes);
    }
  };
  std::string& wrong = walk.wrong;
  const SimulatedThreads::End end = threads.run(which.size, which.seed, body);
  for (unsigned i = 0; i < which.size; ++i) team.stats(i).add_to(sum.stats);
  sum.episodes += episodes;
  if (!wrong.empty() || end == SimulatedThreads::End::kDone) return wrong;
  wrong = end == SimulatedThreads::End::kAllAsleep ? "a wake-up was lost: all are asleep"
                                                   : "no progress";
  for (unsigned i = 0; i < which.size; ++i) {
    wrong += ", thread " + std::to_string(i) + " at episode " + std::to_string(walk.arrived(i));
  }
  return wrong;
}

// All runs of one policy. False, with a line on stderr, at the first that fails.
bool run_policy(WaitKind wait, std::uint64_t wanted, std::uint64_t seed, std::uint64_t first,
                SimulatedThreads& threads) {
  Sum sum;
  const std::vector<BarrierKind> kinds = algorithms();
  for (std::uint64_t i = first; sum.episodes < wanted; ++i) {
    const Run which{.wait = wait,
                    .barrier = kinds[i % kinds.size()],
                    .size = kSizes[i / kinds.size() % std::size(kSizes)],
                    .seed = seed + i,
                    .in_halves = i / kinds.size() / std::size(kSizes) % 2 == 1};
    const std::string wrong = run(which, threads, kRunEpisodes, sum);
    if (wrong.empty()) continue;
    std::fprintf(
        stderr,
        "%s on %s, team of %u, %s (repeat: --policy '%s' --seed %" PRIu64 " --run %" PRIu64 ")\n",
        name_of(wait), name_of(which.barrier), which.size, wrong.c_str(), name_of(wait), seed, i);
    return false;
  }
  std::printf("%-12s %11" PRIu64 " episodes %11" PRIu64 " sleeps %11" PRIu64 " wake calls\n",
              name_of(wait), sum.episodes, sum.stats.blocks.read(), sum.stats.wake_calls.read());
  std::fflush(stdout);
  if (sleeps(wait) && sum.stats.blocks.read() < sum.episodes / 1000) {
    std::fprintf(stderr, "%s hardly ever slept: nothing was tested\n", name_of(wait));
    return false;
  }
  return true;
}

Weakness weakness_named(const char* name) {
  if (std::strcmp(name, "heavy-fence") == 0) return Weakness::kHeavyFence;
  if (std::strcmp(name, "full-fence") == 0) return Weakness::kFullFence;
  if (std::strcmp(name, "wake-call") == 0) return Weakness::kWakeCall;
  return Weakness::kNone;
}

int main_of(int count, char** arguments) {
  std::uint64_t episodes = 1'000'000;
  std::uint64_t seed = 1;
  std::uint64_t first = 0;
  std::string only;
  Weakness weakness = Weakness::kNone;
  for (int i = 1; i < count; i += 2) {
    const std::string name = arguments[i];
    const char* value = i + 1 < count ? arguments[i + 1] : "";
    if (name == "--episodes") {
      episodes = std::strtoull(value, nullptr, 10);
    } else if (name == "--seed") {
      seed = std::strtoull(value, nullptr, 10);
    } else if (name == "--run") {
      first = std::strtoull(value, nullptr, 10);
    } else if (name == "--policy") {
      only = value;
    } else if (name == "--weak" && weakness_named(value) != Weakness::kNone) {
      weakness = weakness_named(value);
    } else {
      std::fprintf(stderr, "lost_wakeups_simulated: bad argument %s %s\n", name.c_str(), value);
      return 2;
    }
  }
  const char* times = std::getenv("MUSTER_TEST_TIMES");
  if (times != nullptr) episodes *= std::strtoull(times, nullptr, 10);
  std::uint64_t left = 1000;
  for (const WaitKind wait : policies()) left -= share_of(wait);
  SimulatedThreads threads(weakness);
  for (const WaitKind wait : policies()) {
    if (!only.empty() && only != name_of(wait)) continue;
    const std::uint64_t share = wait == WaitKind::kBlock ? left : share_of(wait);
    if (!run_policy(wait, only.empty() ? episodes * share / 1000 : episodes, seed, first,
                    threads)) {
      return 1;
    }
  }
  return 0;
}

}  // namespace
}  // namespace muster::test

int main(int count, char** arguments) { return muster::test::main_of(count, arguments); }
