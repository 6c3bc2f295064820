// Makes the runs of a comparison that are missing, and keeps everything in a folder.
#pragma once

#include <filesystem>
#include <string>

#include "preload/launcher/compare/comparison.h"

namespace muster::launcher {

struct SessionOptions {
  std::filesystem::path folder{};
  std::filesystem::path library{};  // libmuster.so
  double seconds = 0;               // no further round begins after that; 0: no limit
  bool show_progress = false;
};

struct SessionEnd {
  int signal = 0;      // that ended it early; 0: none
  int exec_error = 0;  // the program cannot be started
};

// Adds runs to `comparison` and writes compare.json after each. Throws std::runtime_error.
SessionEnd make_runs(Comparison& comparison, const SessionOptions& options);

}  // namespace muster::launcher
