// parallel_for: `parallel for` regions one after the other, one loop iteration a thread; the result
// is how many such regions are managed a second. What `barrier` is for barriers, for fork and join.
#include <fmt/core.h>
#include <omp.h>

#include <cmath>
#include <cstdint>
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
  int threads = 0;
  std::string format = "text";
};

// A thread's count of the loop iterations it ran, on a line of its own: written in each region, so
// that no compiler drops a region without work.
struct alignas(128) Count {
  std::uint64_t value = 0;
};

struct Outcome {
  std::vector<Count> counts;
  std::uint64_t regions = 0;  // counted or not
  epcc::Window window;

  bool complete() const {
    for (const Count& count : counts) {
      if (count.value != regions) return false;
    }
    return true;
  }
};

Outcome run(const Options& options) {
  const long work = std::lround(options.interval_us * epcc::delay_iterations_per_us());
  Outcome outcome;
#pragma omp parallel num_threads(options.threads)
  {
#pragma omp single
    outcome.counts.resize(static_cast<std::size_t>(omp_get_num_threads()));
  }
  const int threads = static_cast<int>(outcome.counts.size());
  Count* const counts = outcome.counts.data();

  epcc::MeasuredWindow window(options.window);
  while (window.goes_on(outcome.regions)) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int i = 0; i < threads; ++i) {
      if (work > 0) epcc::delay(work);
      ++counts[i].value;
    }
    ++outcome.regions;
  }
  outcome.window = window.result();
  return outcome;
}

void print(const Options& options, const Outcome& outcome) {
  const epcc::Window& window = outcome.window;
  const double seconds = window.to - window.from;
  if (options.format == "text") {
    fmt::print("{:.1f} regions/s\n", static_cast<double>(window.iterations) / seconds);
    fmt::print("  {} regions in {:.6f} s, {:.6f} s of CPU time\n", window.iterations, seconds,
               window.cpu_seconds);
    fmt::print("  {} threads, {} us of work, {}\n", outcome.counts.size(), options.interval_us,
               epcc::openmp_runtime());
    return;
  }
  epcc::Json json = {{"program", "parallel_for"},
                     {"runtime", epcc::openmp_runtime()},
                     {"threads", outcome.counts.size()},
                     {"interval_us", options.interval_us}};
  epcc::add_window(json, window);
  json.print();
}

}  // namespace

int main(int argc, char** argv) try {
  Options options;
  options.threads = omp_get_max_threads();
  epcc::CommandLine line("`parallel for` regions one after the other.", "parallel_for");
  epcc::add_window_options(line, options.window);
  line.number("--interval", options.interval_us, "work of each thread in a region, microseconds", 0,
              1e7);
  line.number("--threads", options.threads, "size of the team", 1, 65536);
  line.choice("--format", options.format, "how to print the result", {"text", "json"});
  line.parse_or_exit(argc, argv);

  const Outcome outcome = run(options);
  if (!outcome.complete()) {
    fmt::print(stderr, "parallel_for: loop iterations are missing: a join let the team by\n");
    return 1;
  }
  print(options, outcome);
  return 0;
} catch (const std::exception& error) {
  return epcc::failed("parallel_for", error);
}
