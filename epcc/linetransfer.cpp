// linetransfer: how long one cache line takes to cross from one CPU to another, for each pair of
// allowed CPUs. Two pinned threads play ping-pong on one word; a round trip is two crossings.
//
// Two figures a pair. The crossing: from one CPU's store until another CPU, which polls the word
// with loads, sees it. That is what a barrier does, and the unit its cost is stated in. The move:
// the line alone, fetched for writing by compare-and-swap; a crossing is about two moves, one to
// take the line from its readers for the store and one to fetch it again.
#include <fmt/core.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "epcc/affinity.h"
#include "epcc/command_line.h"
#include "epcc/json.h"
#include "epcc/statistics.h"

namespace {

// One run is short, so that most runs see no interruption, and there are many: the median run is
// one that none has spoiled, on a busy machine as well.
constexpr std::uint32_t kRoundTrips = 250;
constexpr std::uint32_t kRuns = 201;

struct Pair {
  int first;
  int second;
  double median_ns;  // of one crossing
  double min_ns;
  double move_ns;  // median, of the line alone
};

// The word alone on its line, and on the neighbour that some CPUs fetch with it.
struct alignas(128) Ball {
  std::atomic<std::uint32_t> turn = 0;
};

// Waits for `turn`, then makes it the other's.
void play_by_store(Ball& ball, std::uint32_t turn) {
  while (ball.turn.load(std::memory_order_acquire) != turn) {
  }
  ball.turn.store(turn + 1, std::memory_order_release);
}

// The same, but the exchange fetches the line for writing whether or not it succeeds, so each turn
// moves the line exactly once.
void play_by_exchange(Ball& ball, std::uint32_t turn) {
  std::uint32_t expected = turn;
  while (!ball.turn.compare_exchange_weak(expected, turn + 1)) expected = turn;
}

using Play = void (*)(Ball& ball, std::uint32_t turn);

// Plays the even turns and times them, run by run.
template <Play play>
std::vector<double> time_crossings_ns(Ball& ball) {
  std::vector<double> crossings;
  crossings.reserve(kRuns);
  std::uint32_t turn = 0;
  for (std::uint32_t run = 0; run < kRuns; ++run) {
    const auto start = std::chrono::steady_clock::now();
    for (std::uint32_t trip = 0; trip < kRoundTrips; ++trip, turn += 2) play(ball, turn);
    const auto elapsed = std::chrono::steady_clock::now() - start;
    crossings.push_back(std::chrono::duration<double, std::nano>(elapsed).count() /
                        (2.0 * kRoundTrips));
  }
  return crossings;
}

template <Play play>
epcc::Summary measure_turns(int first, int second) {
  Ball ball;
  std::atomic<int> ready = 0;
  std::atomic<bool> failed = false;
  // True in both threads or in neither, or one would wait for a partner that has left.
  const auto pin_and_meet = [&](int cpu) {
    if (!epcc::pin_to(cpu)) failed = true;
    ++ready;
    while (ready != 2) std::this_thread::yield();
    return !failed;
  };

  std::vector<double> crossings_ns;
  {
    const std::jthread odd([&] {
      if (!pin_and_meet(second)) return;
      for (std::uint32_t trip = 0; trip < kRuns * kRoundTrips; ++trip) play(ball, 2 * trip + 1);
    });
    const std::jthread even([&] {
      if (pin_and_meet(first)) crossings_ns = time_crossings_ns<play>(ball);
    });
  }
  if (failed) {
    throw std::runtime_error(fmt::format("cannot run on CPUs {} and {}", first, second));
  }
  return epcc::summarize(crossings_ns);
}

Pair measure(int first, int second) {
  const epcc::Summary crossing = measure_turns<play_by_store>(first, second);
  const epcc::Summary move = measure_turns<play_by_exchange>(first, second);
  return {.first = first,
          .second = second,
          .median_ns = crossing.median,
          .min_ns = crossing.min,
          .move_ns = move.median};
}

double median_of(const std::vector<Pair>& pairs, double Pair::* figure) {
  std::vector<double> medians;
  medians.reserve(pairs.size());
  for (const Pair& p : pairs) medians.push_back(p.*figure);
  return epcc::summarize(medians).median;
}

std::string cell(const std::vector<Pair>& pairs, int row, int column) {
  for (const Pair& p : pairs) {
    const bool here =
        (p.first == row && p.second == column) || (p.first == column && p.second == row);
    if (here) return fmt::format("{:.1f}", p.median_ns);
  }
  return "-";
}

void print_text(const std::vector<int>& cpus, const std::vector<Pair>& pairs) {
  if (pairs.empty()) {
    fmt::print("only CPU {} is allowed: there is no pair to measure\n", cpus.front());
    return;
  }
  fmt::print("one line crossing, ns, median of {} runs\n{:>6}", kRuns, "CPU");
  for (const int cpu : cpus) fmt::print(" {:>7}", cpu);
  for (const int row : cpus) {
    fmt::print("\n{:>6}", row);
    for (const int column : cpus) fmt::print(" {:>7}", cell(pairs, row, column));
  }
  fmt::print("\nmedian over {} pair{} = {:.1f} ns\n", pairs.size(), pairs.size() == 1 ? "" : "s",
             median_of(pairs, &Pair::median_ns));
  fmt::print("the line alone, moved for writing: {:.1f} ns\n", median_of(pairs, &Pair::move_ns));
}

void print_json(const std::vector<int>& cpus, const std::vector<Pair>& pairs) {
  const auto median = [&](double Pair::* figure) {
    return pairs.empty() ? epcc::Json::Value(nullptr) : median_of(pairs, figure);
  };
  std::vector<epcc::Json> rows;
  for (const Pair& p : pairs) {
    rows.push_back({{"cpus", std::vector<int>{p.first, p.second}},
                    {"median_ns", p.median_ns},
                    {"min_ns", p.min_ns},
                    {"move_ns", p.move_ns}});
  }
  const epcc::Json json = {{"program", "linetransfer"},
                           {"cpus", cpus},
                           {"runs", std::uint64_t{kRuns}},
                           {"round_trips_per_run", std::uint64_t{kRoundTrips}},
                           {"median_ns", median(&Pair::median_ns)},
                           {"move_ns", median(&Pair::move_ns)},
                           {"pairs", rows}};
  json.print();
}

void print_csv(const std::vector<Pair>& pairs) {
  fmt::print("first_cpu,second_cpu,median_ns,min_ns,move_ns\n");
  for (const Pair& p : pairs) {
    fmt::print("{},{},{},{},{}\n", p.first, p.second, p.median_ns, p.min_ns, p.move_ns);
  }
}

void measure_and_print(const std::string& format) {
  const std::vector<int> cpus = epcc::allowed_cpus();
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    for (std::size_t j = i + 1; j < cpus.size(); ++j) pairs.push_back(measure(cpus[i], cpus[j]));
  }
  if (format == "json") {
    print_json(cpus, pairs);
  } else if (format == "csv") {
    print_csv(pairs);
  } else {
    print_text(cpus, pairs);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  std::string format = "text";
  epcc::CommandLine line("The time of one cache-line crossing between each pair of allowed CPUs.",
                         "linetransfer");
  line.choice("--format", format, "how to print the result", {"text", "json", "csv"});
  line.parse_or_exit(argc, argv);
  measure_and_print(format);
  return 0;
} catch (const std::exception& error) {
  return epcc::failed("linetransfer", error);
}
