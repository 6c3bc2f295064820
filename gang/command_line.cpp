// See command_line.h.
#include "gang/command_line.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace gang {
namespace {

[[noreturn]] void fail(int status, const std::string& message) {
  fmt::print(stderr, "gang: {}\n", message.substr(0, message.find('\n')));
  std::exit(status);
}

CLI::Validator number_between(double least, double most) {
  const auto check = [least, most](const std::string& text) -> std::string {
    double value = NAN;
    if (CLI::detail::lexical_cast(text, value) && value >= least && value <= most) return {};
    return fmt::format("'{}' is not a number from {} to {}", text, least, most);
  };
  return {check, fmt::format("{} to {}", least, most)};
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char letter : text) {
    if (letter == at) {
      parts.emplace_back();
    } else {
      parts.back() += letter;
    }
  }
  return parts;
}

// "0-3,5". Processors that this process may not use are refused: the kernel would ignore them silently.
cpu_set_t cpus_of(const std::string& list) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  cpu_set_t chosen;
  CPU_ZERO(&chosen);
  for (const std::string& part : split(list, ',')) {
    unsigned first = 0;
    unsigned last = 0;
    int length = 0;
    const char* text = part.c_str();
    const bool digit_first = !part.empty() && part[0] >= '0' && part[0] <= '9' && part.size() < 12;
    if (digit_first && std::sscanf(text, "%u-%u%n", &first, &last, &length) == 2 &&
        text[length] == '\0') {
      // a range
    } else if (digit_first && std::sscanf(text, "%u%n", &first, &length) == 1 &&
               text[length] == '\0') {
      last = first;
    } else {
      fail(kBadInput, fmt::format("--cpus: '{}' is no list of processors such as 0-3,5", list));
    }
    if (last < first) fail(kBadInput, fmt::format("--cpus: '{}' goes backwards", part));
    for (unsigned cpu = first; cpu <= last; ++cpu) {
      if (cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &allowed)) {
        fail(kBadInput, fmt::format("--cpus: this process may not use processor {}", cpu));
      }
      CPU_SET(cpu, &chosen);
    }
  }
  return chosen;
}

// The file that a command is, as a shell would find it.
std::string file_of(const std::string& command) {
  if (command.empty()) fail(kNotFound, "'': command not found");
  const char* path = std::getenv("PATH");
  const bool is_path = command.find('/') != std::string::npos;
  std::vector<std::string> candidates;
  if (is_path) candidates.push_back(command);
  if (!is_path) {
    for (const std::string& folder :
         split(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin", ':')) {
      candidates.push_back(folder.empty() ? "./" + command : folder + "/" + command);
    }
  }
  int error = ENOENT;
  for (const std::string& candidate : candidates) {
    struct stat status{};
    if (stat(candidate.c_str(), &status) != 0) {
      if (is_path) error = errno;
    } else if (S_ISDIR(status.st_mode)) {
      if (is_path) error = EISDIR;
    } else if (access(candidate.c_str(), X_OK) != 0) {
      error = errno;
    } else {
      return candidate;
    }
  }
  if (!is_path && error == ENOENT) fail(kNotFound, command + ": command not found");
  fail(error == ENOENT ? kNotFound : kNotExecutable, command + ": " + std::strerror(error));
}

std::vector<Program> programs_of(const std::vector<std::string>& words) {
  std::vector<Program> programs(1);
  for (const std::string& word : words) {
    if (word == "::") {
      programs.emplace_back();
    } else {
      programs.back().words.push_back(word);
    }
  }
  for (std::size_t i = 0; i < programs.size(); ++i) {
    if (programs[i].words.empty()) {
      fail(kBadInput, fmt::format("program {} of {} is empty: each '::' needs a command on both "
                                  "sides",
                                  i + 1, programs.size()));
    }
  }
  for (Program& program : programs) program.file = file_of(program.words.front());
  return programs;
}

}  // namespace

CommandLine parse_or_exit(int argc, char** argv) {
  CommandLine line;
  double slice_ms = 100;
  std::string cpus;
  std::string by = "auto";
  CLI::App app(
      "Runs programs in turns, each alone on its processors:\n"
      "gang [OPTION...] -- COMMAND [ARGUMENT...] [:: COMMAND [ARGUMENT...]]...",
      "gang");
  app.option_defaults()->always_capture_default();
  app.add_option("--slice", slice_ms, "how long a turn is, milliseconds")
      ->check(number_between(0.1, 1e7));
  app.add_option("--weights", line.weights, "how many slices each program's turn is, 1,2 for two")
      ->delimiter(',')
      ->check(number_between(1e-3, 1e6));
  app.add_option("--cpus", cpus, "the processors for all of them, such as 0-3,5");
  app.add_option("--by", by, "how a program is kept off the processors")
      ->check(CLI::IsMember({"auto", "priorities", "signals"}));
  app.add_option("--report", line.report, "what each program got: stderr, FILE.txt or FILE.json");

  // CLI11 would parse options behind a "--" in the arguments of a program.
  char** const end = argv + argc;
  char** const dashes =
      std::find_if(argv, end, [](const char* word) { return std::string_view(word) == "--"; });
  try {
    app.parse(static_cast<int>(dashes - argv), argv);
  } catch (const CLI::Success& help) {
    std::exit(app.exit(help));
  } catch (const CLI::ParseError& error) {
    fail(kBadInput, error.what());
  }
  if (dashes == end || dashes + 1 == end) {
    fail(kBadInput, "no programs: gang [OPTION...] -- COMMAND [ARGUMENT...] :: COMMAND ...");
  }
  line.slice = std::chrono::duration<double>(slice_ms * 1e-3);
  if (by != "auto") {
    line.mechanism = by == "signals" ? Mechanism::kSignals : Mechanism::kPriorities;
  }
  if (!cpus.empty() || app.count("--cpus") > 0) line.cpus = cpus_of(cpus);
  const bool known = line.report.empty() || line.report == "stderr" ||
                     line.report.ends_with(".txt") || line.report.ends_with(".json");
  if (!known || (line.report.empty() && app.count("--report") > 0)) {
    fail(kBadInput,
         fmt::format("--report: '{}' is neither stderr, FILE.txt nor FILE.json", line.report));
  }
  line.programs = programs_of({dashes + 1, end});
  if (line.weights.empty()) line.weights.assign(line.programs.size(), 1.0);
  if (line.weights.size() != line.programs.size()) {
    fail(kBadInput, fmt::format("--weights: {} weights for {} programs", line.weights.size(),
                                line.programs.size()));
  }
  for (const double weight : line.weights) {
    if (weight * slice_ms < 0.1) {
      fail(kBadInput, fmt::format("--weights: {} x {} ms is less than 0.1 ms, the shortest turn",
                                  weight, slice_ms));
    }
  }
  return line;
}

}  // namespace gang
