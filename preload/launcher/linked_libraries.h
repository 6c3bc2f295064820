// The libraries that a program would be started with, as found by its own loader.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace muster::launcher {

struct LinkedLibraries {
  std::vector<std::filesystem::path> found;
  std::vector<std::string> missing;  // sonames the loader does not find
  std::string problem;               // why the loader could not be run; empty: it was
};

// Runs `interpreter --list program` with LD_PRELOAD=`preload`. This maps the libraries, and runs no code of theirs or
// of the program.
LinkedLibraries list_libraries(const std::string& interpreter, const std::filesystem::path& program,
                               const std::string& preload);

// Parses the output of the loader. A function of its own for tests.
LinkedLibraries parse_loader_list(const std::string& output);

}  // namespace muster::launcher
