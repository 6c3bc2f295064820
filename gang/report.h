// The turns and the CPU time of each gang, as a table or as JSON.
#pragma once

#include <string>
#include <vector>

#include "gang/hold.h"

namespace gang {

struct GangUsage {
  std::string command;
  double weight = 1;
  std::size_t turns = 0;
  double turn_seconds = 0;  // of its turns, by the clock
  double cpu_seconds = 0;   // of all its processes
  int status = 0;           // as a shell has it
};

struct Report {
  Mechanism mechanism = Mechanism::kSignals;
  double slice_seconds = 0;
  double seconds = 0;
  double own_cpu_seconds = 0;  // of `gang` itself
  std::vector<GangUsage> gangs;
};

// To stderr or a file: FILE.json, else text. Returns an empty string, or why it could not be written.
std::string write_report(const Report& report, const std::string& to);

}  // namespace gang
