// Scripts that complete muster's command lines, one function for each shell.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace muster::launcher::manual {

std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);
std::string fish_completion(const CLI::App& app);

}  // namespace muster::launcher::manual
