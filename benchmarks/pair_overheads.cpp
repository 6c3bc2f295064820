// What each barrier costs two pinned threads, beside the time in which a line moves between them: what
// the coherence simulator is checked against (campaigns/validate.py).
//
//   pair_overheads [--rounds 31] [--csv]
//
// An overhead is EPCC's: the time of an episode less that of its computing. Each round runs each
// algorithm once for some hundred microseconds, so that most runs see no interruption, and measures the
// move anew. What is printed is the lowest tenth of all rounds' bound: a neighbour on the host spoils
// many rounds, and none gets faster by it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "barriers/native_registry.h"
#include "epcc/affinity.h"

namespace muster {
namespace {

constexpr unsigned kEpisodes = 1'000;
constexpr double kDelaysNs[] = {0, 100};

double now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::nano>(now).count();
}

// A chain of additions, which no processor does faster than one after the other.
void compute(unsigned additions) {
  unsigned sum = 0;
  for (unsigned i = 0; i < additions; ++i) {
    ++sum;
    asm volatile("" : "+r"(sum));
  }
}

double computing_ns(unsigned additions) {
  double best = 1e9;
  for (int run = 0; run < 20; ++run) {
    const double begun = now_ns();
    for (unsigned i = 0; i < kEpisodes; ++i) compute(additions);
    best = std::min(best, (now_ns() - begun) / kEpisodes);
  }
  return best;
}

unsigned additions_for(double ns) {
  constexpr unsigned kMany = 10'000;
  return static_cast<unsigned>(ns * kMany / computing_ns(kMany));
}

struct alignas(kPrefetchersStopAt) Meeting {
  std::atomic<unsigned> arrived{0};
  // For the two to begin at the same time.
  void meet(unsigned count) {
    arrived.fetch_add(1);
    while (arrived.load() < count) {
    }
  }
};

// body(me) on both CPUs, once both are there; the time that thread 0 took.
template <class Body>
double time_pair(const std::vector<int>& cpus, Body&& body) {
  Meeting meeting;
  double taken = 0;
  const auto side = [&](unsigned me) {
    if (!epcc::pin_to(cpus[me])) throw std::runtime_error("a thread cannot be pinned");
    meeting.meet(2);
    const double begun = now_ns();
    body(me);
    if (me == 0) taken = now_ns() - begun;
  };
  std::jthread other(side, 1U);
  side(0);
  other.join();
  return taken;
}

// The line alone, fetched for writing whether or not it is this thread's turn.
double move_ns(const std::vector<int>& cpus) {
  struct alignas(kPrefetchersStopAt) Ball {
    std::atomic<unsigned> turn{0};
  };
  const auto ball = std::make_unique<Ball>();
  const double taken = time_pair(cpus, [&](unsigned me) {
    for (unsigned turn = me; turn < 2 * kEpisodes; turn += 2) {
      unsigned expected = turn;
      while (!ball->turn.compare_exchange_weak(expected, turn + 1)) expected = turn;
    }
  });
  return taken / (2 * kEpisodes);
}

double episode_ns(const std::vector<int>& cpus, BarrierKind kind, unsigned additions) {
  const BarrierOps<NativeMemory>& ops = *barrier_ops<NativeMemory>(kind);
  const Layout layout{.stride = kPrefetchersStopAt};  // as for all teams up to kPagesPayUpTo
  Arena arena;
  CallOff<NativeMemory> call_off;
  if (!arena.reserve(ops.bytes(2, layout))) throw std::runtime_error("no memory");
  void* state = ops.create(arena, 2, layout, {.wait = WaitKind::kSpin, .team_size = 2});
  if (state == nullptr) throw std::runtime_error("no memory");
  struct alignas(kPrefetchersStopAt) Own {
    WaitStats stats;
  };
  const auto own = std::make_unique<Own[]>(2);
  const double taken = time_pair(cpus, [&](unsigned me) {
    for (Episode episode = 1; episode <= kEpisodes; ++episode) {
      compute(additions);
      ops.arrive_and_wait(state, me, episode, call_off, own[me].stats);
    }
  });
  return taken / kEpisodes;
}

double lowest_tenth(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 10];
}

struct Row {
  BarrierKind kind;
  double delay_ns;
  unsigned additions;
  std::vector<double> overheads;
};

int run(int count, char** words) {
  CLI::App app("What each barrier costs two pinned threads, beside a line's move.");
  unsigned rounds = 31;
  bool csv = false;
  app.add_option("--rounds", rounds, "each algorithm is measured once a round (default 31)")
      ->check(CLI::Range(1U, 10'000U));
  app.add_flag("--csv", csv, "for programs to read");
  CLI11_PARSE(app, count, words);

  const std::vector<int> cpus = epcc::allowed_cpus();
  if (cpus.size() < 2) throw std::runtime_error("two CPUs are needed, and one is allowed");
  std::vector<Row> rows;
  for (const double delay : kDelaysNs) {
    for (int i = 0; i < kBarrierKinds; ++i) {
      const auto kind = static_cast<BarrierKind>(i);
      if (kind != BarrierKind::kNative && kind != BarrierKind::kAuto)
        rows.push_back({kind, delay, delay > 0 ? additions_for(delay) : 0, {}});
    }
  }
  std::vector<double> moves;
  for (unsigned round = 0; round < rounds; ++round) {
    moves.push_back(move_ns(cpus));
    for (Row& row : rows) {
      const double computing = row.additions > 0 ? computing_ns(row.additions) : 0;
      row.overheads.push_back(episode_ns(cpus, row.kind, row.additions) - computing);
    }
  }
  if (csv) {
    fmt::print("what,delay_us,ns\nmove,0,{:.2f}\n", lowest_tenth(moves));
  } else {
    fmt::print("a line moves from CPU {} to CPU {} for writing in {:.1f} ns\n", cpus[0], cpus[1],
               lowest_tenth(moves));
    fmt::print("{:>20} {:>9} {:>12}\n", "barrier", "delay_us", "overhead_ns");
  }
  for (const Row& row : rows) {
    if (csv) {
      fmt::print("{},{},{:.2f}\n", name_of(row.kind), row.delay_ns / 1'000,
                 lowest_tenth(row.overheads));
    } else {
      fmt::print("{:>20} {:>9} {:>12.1f}\n", name_of(row.kind), row.delay_ns / 1'000,
                 lowest_tenth(row.overheads));
    }
  }
  return 0;
}

}  // namespace
}  // namespace muster

int main(int count, char** words) {
  try {
    return muster::run(count, words);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "pair_overheads: %s\n", problem.what());
    return 2;
  }
}
