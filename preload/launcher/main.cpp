// `muster`: runs a program with libmuster.so, checks whether that would work, measures the machine, shows and adds
// up reports, lists their fields, counters and options.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "preload/launcher/commands.h"

namespace {

using namespace muster::launcher;

// Removes `--` and what follows it from the words of `muster run`, and returns what follows.
WordsAfterDashes split_command(std::vector<std::string>& words) {
  if (words.empty() || words.front() != "run") return std::nullopt;
  const auto dashes = std::find(words.begin(), words.end(), "--");
  if (dashes == words.end()) return std::nullopt;
  std::vector<std::string> after(dashes + 1, words.end());
  words.erase(dashes, words.end());
  return after;
}

int run_command_line(std::vector<std::string> words) {
  const WordsAfterDashes after = split_command(words);
  CLI::App app{
      "Muster: faster barriers, and no collapse on a busy machine, for unmodified OpenMP "
      "programs."};
  app.name("muster");
  app.set_version_flag("--version", "muster " MUSTER_VERSION);
  app.require_subcommand(1);
  int status = 0;
  add_run(app, after, status);
  add_doctor(app, status);
  add_calibrate(app, status);
  add_report(app, status);
  add_top(app, status);
  add_merge(app, status);
  add_fields(app, status);
  add_counters(app, status);
  add_options(app, status);
  try {
    std::reverse(words.begin(), words.end());  // CLI11 expects a vector in reverse order
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    // CLI11 prints help and version on stdout, and errors on stderr. Its exit codes are not Muster's.
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_command_line({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "muster: %s\n", error.what());
    return kLauncherFailed;
  }
}
