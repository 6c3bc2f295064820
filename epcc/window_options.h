// The command line and the JSON keys of a measured window, for the programs that have one.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "epcc/command_line.h"
#include "epcc/measured_window.h"

namespace epcc {

inline void add_window_options(CommandLine& line, double& margin, std::vector<int>& beside) {
  line.number("--margin", margin, "run on, uncounted, for this long before and after, seconds", 0,
              1e6);
  line.positive_list("--beside", beside, "processes whose CPU time is told as well");
}

inline void add_window(nlohmann::ordered_json& json, const Window& window) {
  const double seconds = window.to - window.from;
  json["iterations"] = window.iterations;
  json["seconds"] = seconds;
  json["iterations_per_s"] = static_cast<double>(window.iterations) / seconds;
  json["cpu_seconds"] = window.cpu_seconds;
  json["beside_cpu_seconds"] = window.beside_cpu_seconds;
  json["counted"] = {window.from, window.to};
  json["ran"] = {window.ran_from, window.ran_to};
}

}  // namespace epcc
