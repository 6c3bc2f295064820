// `muster`: runs a program with libmuster.so, checks whether that would work and whether it helps, measures the machine,
// shows and adds up reports, lists their call sites and fields, counters and options.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "preload/launcher/commands.h"
#include "preload/launcher/program_words.h"

namespace {

using namespace muster::launcher;

// The subcommands after which a program and its arguments may follow.
constexpr std::string_view kTakeProgram[] = {"run", "doctor", "compare"};

// Removes `--` and what follows it from the words of such a subcommand, and returns what follows.
WordsAfterDashes split_command(std::vector<std::string>& words) {
  if (words.empty()) return std::nullopt;
  const auto* end = std::end(kTakeProgram);
  if (std::find(std::begin(kTakeProgram), end, words.front()) == end) return std::nullopt;
  const auto dashes = std::find(words.begin(), words.end(), "--");
  if (dashes == words.end()) return std::nullopt;
  std::vector<std::string> after(dashes + 1, words.end());
  words.erase(dashes, words.end());
  return after;
}

// Prints a line if the first word is neither an option nor a subcommand.
bool is_no_command(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.empty() || words.front().starts_with('-')) return false;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), words.front()) != names.end()) return false;
  const std::string nearest = nearest_name(words.front(), names);
  std::fprintf(stderr, "muster: %s: no such command; %s\n", words.front().c_str(),
               nearest.empty() ? "see muster --help" : ("did you mean " + nearest + "?").c_str());
  return true;
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
  add_doctor(app, after, status);
  add_compare(app, after, status);
  add_calibrate(app, status);
  add_report(app, status);
  add_top(app, status);
  add_merge(app, status);
  add_sites(app, status);
  add_fields(app, status);
  add_counters(app, status);
  add_options(app, status);
  add_manual(app, status);
  add_completion(app, status);
  if (is_no_command(app, words)) return kUsage;
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
