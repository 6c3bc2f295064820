// From a command, as typed, to the ELF file that would run: PATH, then #! lines.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace muster::launcher {

// As execvp finds it. Nothing where there is none.
std::optional<std::filesystem::path> find_in_path(const std::string& command);

struct Program {
  std::filesystem::path file;        // what the kernel loads in the end
  std::vector<std::string> scripts;  // the scripts on the way to it, outermost first
  std::string problem;               // why there is no such file; empty where there is
};

Program look_up(const std::string& command);

}  // namespace muster::launcher
