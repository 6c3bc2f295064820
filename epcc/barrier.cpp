// barrier: the BARRIER program of Peter et al. (section 3.1 and Figure 1): threads compute, meet at
// a barrier, and again; the result is how many such iterations they manage a second.
//
// Each thread computes for `interval` and a random share of `variance` more: the paper's interval
// is the least processing time between synchronizations, its variance the most that is added, drawn
// from "a normal distribution in [0, variance]". Its spin(x) exercises the CPU for x cycles, so
// time off the CPU is no progress: hence delay(), and no watching of a clock.
#include <fmt/core.h>
#include <omp.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "epcc/command_line.h"
#include "epcc/delay.h"
#include "epcc/measured_window.h"
#include "epcc/openmp_runtime.h"
#include "epcc/window_options.h"

namespace {

struct Options {
  epcc::WindowOptions window;
  double interval_us = 0;
  double variance_us = 0;
  int threads = 0;
  std::uint64_t seed = 1;
  std::string format = "text";
};

struct Outcome {
  std::vector<std::uint64_t> iterations;  // by thread, counted or not: all must be the same
  epcc::Window window;
};

// The computation of one thread: a different, repeatable sequence of lengths for each.
class ThreadWork {
 public:
  ThreadWork(const Options& options, double iterations_per_us, int thread)
      : least_(options.interval_us * iterations_per_us),
        most_added_(options.variance_us * iterations_per_us),
        random_(options.seed + static_cast<std::uint64_t>(thread)),
        // The paper names no deviation: the range is taken as three of them either side of its
        // middle.
        added_(most_added_ / 2, most_added_ > 0 ? most_added_ / 6 : 1) {}

  void compute() { epcc::delay(std::lround(least_ + draw())); }

 private:
  double draw() {
    if (most_added_ <= 0) return 0;
    double x = added_(random_);
    while (x < 0 || x > most_added_) x = added_(random_);
    return x;
  }

  double least_;
  double most_added_;
  std::mt19937_64 random_;
  std::normal_distribution<double> added_;
};

Outcome run(const Options& options) {
  const double rate = epcc::delay_iterations_per_us();
  Outcome outcome;
#pragma omp parallel num_threads(options.threads)
  {
#pragma omp single
    outcome.iterations.resize(static_cast<std::size_t>(omp_get_num_threads()));
  }

  epcc::MeasuredWindow window(options.window);
  bool stop = false;
#pragma omp parallel num_threads(options.threads)
  {
    const int me = omp_get_thread_num();
    ThreadWork work(options, rate, me);
    const bool works = options.interval_us > 0 || options.variance_us > 0;
    std::uint64_t iterations = 0;
    bool last = false;
    while (!last) {
      // One thread decides before the first barrier, and all read the decision before the second. So no thread sees the
      // decision of a later iteration, and all leave after the same one. It is stored only once: a line that is written
      // in each iteration would be transferred to every thread in each iteration.
      if (me == 0 && !window.goes_on(iterations)) stop = true;
      if (works) work.compute();
#pragma omp barrier
      last = stop;
#pragma omp barrier
      if (!last) ++iterations;
    }
    outcome.iterations[static_cast<std::size_t>(me)] = iterations;
  }

  outcome.window = window.result();
  return outcome;
}

void print(const Options& options, const Outcome& outcome) {
  const epcc::Window& window = outcome.window;
  const double seconds = window.to - window.from;
  const double per_s = static_cast<double>(window.iterations) / seconds;
  if (options.format == "text") {
    fmt::print("{:.1f} iterations/s\n", per_s);
    fmt::print("  {} iterations of 2 barriers in {:.6f} s, {:.6f} s of CPU time\n",
               window.iterations, seconds, window.cpu_seconds);
    fmt::print("  {} threads, {} us of work and up to {} more, {}\n", outcome.iterations.size(),
               options.interval_us, options.variance_us, epcc::openmp_runtime());
    return;
  }
  epcc::Json json = {{"program", "barrier"},
                     {"runtime", epcc::openmp_runtime()},
                     {"threads", outcome.iterations.size()},
                     {"interval_us", options.interval_us},
                     {"variance_us", options.variance_us},
                     {"seed", options.seed},
                     {"barriers_per_iteration", 2}};
  epcc::add_window(json, window);
  json.add("iterations_by_thread", outcome.iterations);
  json.print();
}

}  // namespace

int main(int argc, char** argv) try {
  Options options;
  options.threads = omp_get_max_threads();
  epcc::CommandLine line("The BARRIER program of Peter et al.: compute, barrier, repeat.",
                         "barrier");
  epcc::add_window_options(line, options.window);
  line.number("--interval", options.interval_us, "least work between barriers, microseconds", 0,
              1e7);
  line.number("--variance", options.variance_us, "most random work added, microseconds", 0, 1e7);
  line.number("--threads", options.threads, "size of the team", 1, 65536);
  line.any_number("--seed", options.seed, "of the random work");
  line.choice("--format", options.format, "how to print the result", {"text", "json"});
  line.parse_or_exit(argc, argv);

  const Outcome outcome = run(options);
  for (const std::uint64_t iterations : outcome.iterations) {
    if (iterations == outcome.iterations.front()) continue;
    fmt::print(stderr, "barrier: threads left after different iterations: a barrier let one by\n");
    return 1;
  }
  print(options, outcome);
  return 0;
} catch (const std::exception& error) {
  return epcc::failed("barrier", error);
}
