// The libraries a program would be started with, as its own loader finds them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace muster::launcher {

struct LinkedLibraries {
  std::vector<std::filesystem::path> found;
  std::vector<std::string> missing;  // sonames the loader does not find
  std::string problem;               // why the loader could not be asked; empty where it could
};

// Runs `interpreter --list program`, which maps the libraries and runs none of their code, nor the
// program's. `preload` is what LD_PRELOAD is for that run.
LinkedLibraries list_libraries(const std::string& interpreter, const std::filesystem::path& program,
                               const std::string& preload);

// What the loader printed, taken apart. Apart so that a test can give it any text.
LinkedLibraries parse_loader_list(const std::string& output);

}  // namespace muster::launcher
