#include "preload/launcher/program_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "options/nearest.h"
#include "preload/launcher/shell_quote.h"

namespace muster::launcher {
namespace {

// "; did you mean --wait?"
std::string suggestion(const CLI::App& command, const std::string& flag) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::string nearest = nearest_name(flag.substr(0, flag.find('=')), names);
  return nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest);
}

}  // namespace

void take_program(CLI::App& command) { command.prefix_command(); }

std::optional<std::vector<std::string>> program_words(const CLI::App& command,
                                                      const WordsAfterDashes& after) {
  std::vector<std::string> words = command.remaining();
  if (!words.empty() && words.front()[0] == '-') {
    fmt::print(stderr, "muster {0}: {1}: no such option{2}; see muster {0} --help\n",
               command.get_name(), shell_quote(words.front()), suggestion(command, words.front()));
    return std::nullopt;
  }
  if (after) {
    // A `--` after the program's name is one of its arguments.
    if (!words.empty()) words.emplace_back("--");
    words.insert(words.end(), after->begin(), after->end());
  }
  return words;
}

std::string nearest_name(const std::string& word, const std::vector<std::string>& names) {
  std::string nearest;
  // More than a third of its letters wrong is another word.
  std::size_t least = std::max<std::size_t>(word.size() / 3, 1) + 1;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(word.data(), word.size(), name.data(), name.size());
    if (distance >= least) continue;
    least = distance;
    nearest = name;
  }
  return nearest;
}

}  // namespace muster::launcher
