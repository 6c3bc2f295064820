// The command line and the JSON keys of a measured window, for the programs that have one.
#pragma once

#include <cstdint>
#include <vector>

#include "epcc/command_line.h"
#include "epcc/json.h"
#include "epcc/measured_window.h"

namespace epcc {

inline void add_window_options(CommandLine& line, WindowOptions& options) {
  line.number("--seconds", options.seconds, "how long to run", 1e-3, 1e6);
  line.number("--margin", options.margin,
              "run on, uncounted, for this long before and after, seconds", 0, 1e6);
  line.positive_list("--beside", options.beside, "processes whose CPU time is reported as well");
  line.ascending_times("--progress", options.progress,
                       "tell how many iterations are done at each of these times after the first "
                       "one began, and end with the last (20ms,50ms,1s)");
}

inline void add_window(Json& json, const Window& window) {
  const double seconds = window.to - window.from;
  json.add("iterations", window.iterations);
  json.add("seconds", seconds);
  json.add("iterations_per_s", static_cast<double>(window.iterations) / seconds);
  json.add("cpu_seconds", window.cpu_seconds);
  json.add("beside_cpu_seconds", window.beside_cpu_seconds);
  json.add("counted", std::vector<double>{window.from, window.to});
  json.add("ran", std::vector<double>{window.ran_from, window.ran_to});
  if (window.progress.empty()) return;
  std::vector<double> times;
  std::vector<std::uint64_t> iterations;
  for (const Progress& progress : window.progress) {
    times.push_back(progress.seconds);
    iterations.push_back(progress.iterations);
  }
  json.add("progress_seconds", times);
  json.add("progress_iterations", iterations);
}

}  // namespace epcc
