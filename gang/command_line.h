// `gang [OPTION...] -- COMMAND [ARGUMENT...] [:: COMMAND [ARGUMENT...]]...`
#pragma once

#include <sched.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "gang/hold.h"
#include "gang/keeper.h"

namespace gang {

struct CommandLine {
  std::chrono::duration<double> slice{0.1};
  std::vector<double> weights;         // one for each program
  std::optional<cpu_set_t> cpus;       // as requested
  std::optional<Mechanism> mechanism;  // empty: whichever is allowed
  std::string report;                  // stderr or a file; empty: none
  std::vector<Program> programs;
};

// Exit statuses for errors of `gang` itself, as in env(1) and timeout(1).
constexpr int kBadInput = 2;
constexpr int kInternalError = 125;
constexpr int kNotExecutable = 126;
constexpr int kNotFound = 127;

// Exits if there is nothing to run: after --help with 0, else with one line on stderr.
CommandLine parse_or_exit(int argc, char** argv);

}  // namespace gang
