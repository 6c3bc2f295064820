// The grammar that `run`, `doctor` and `compare` share: muster COMMAND [OPTIONS] [--] CMD...
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "preload/launcher/commands.h"

namespace muster::launcher {

// Everything from the first word that is not an option belongs to the program.
void take_program(CLI::App& command);

// The program and its arguments; may be empty. Nothing, with a line on stderr, if there is an unknown option.
std::optional<std::vector<std::string>> program_words(const CLI::App& command,
                                                      const WordsAfterDashes& after);

// The name of those that is most like `word`; empty if none is.
std::string nearest_name(const std::string& word, const std::vector<std::string>& names);

}  // namespace muster::launcher
