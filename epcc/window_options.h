// The command line and the JSON keys of a measured window, for the programs that have one.
#pragma once

#include <vector>

#include "epcc/command_line.h"
#include "epcc/json.h"
#include "epcc/measured_window.h"

namespace epcc {

inline void add_window_options(CommandLine& line, double& margin, std::vector<int>& beside) {
  line.number("--margin", margin, "run on, uncounted, for this long before and after, seconds", 0,
              1e6);
  line.positive_list("--beside", beside, "processes whose CPU time is reported as well");
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
}

}  // namespace epcc
