// Finds the ELF file that a command would run, by PATH and #! lines.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace muster::launcher {

// As execvp finds it. Nothing if there is none.
std::optional<std::filesystem::path> find_in_path(const std::string& command);

struct Program {
  std::filesystem::path file;        // what the kernel loads in the end
  std::vector<std::string> scripts;  // the scripts that lead to it, outermost first
  std::string problem;               // why there is no such file; empty: there is one
};

Program look_up(const std::string& command);

}  // namespace muster::launcher
