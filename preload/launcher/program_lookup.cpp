#include "preload/launcher/program_lookup.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>

namespace muster::launcher {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 5;  // the kernel does not follow longer chains of #! either

bool is_executable_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

bool starts_with(const fs::path& path, const char* magic, std::size_t length) {
  std::ifstream stream(path, std::ios::binary);
  std::string start(length, '\0');
  return stream.read(start.data(), static_cast<std::streamsize>(length)) && start == magic;
}

// The command in a #! line. If it is `env`, the command that env would run.
std::string interpreter_of(const fs::path& script) {
  if (!starts_with(script, "#!", 2)) return "/bin/sh";  // what execvp and shells run then
  std::ifstream stream(script);
  std::string line;
  std::getline(stream, line);
  std::istringstream words(line.substr(2));
  std::string interpreter;
  words >> interpreter;
  if (fs::path(interpreter).filename() != "env") return interpreter;
  for (std::string word; words >> word;) {
    if (word[0] != '-' && word.find('=') == std::string::npos) return word;
  }
  return interpreter;
}

}  // namespace

std::optional<fs::path> find_in_path(const std::string& command) {
  if (command.empty()) return std::nullopt;
  if (command.find('/') != std::string::npos) {
    if (is_executable_file(command)) return fs::path(command);
    return std::nullopt;
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/bin:/usr/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    fs::path candidate = fs::path(folder.empty() ? "." : folder) / command;
    if (is_executable_file(candidate)) return candidate;
  }
  return std::nullopt;
}

Program look_up(const std::string& command) {
  Program program;
  std::string wanted = command;
  for (int depth = 0; depth < kDeepest; ++depth) {
    const auto found = find_in_path(wanted);
    if (!found) {
      program.problem = fmt::format("{}: not found, or not executable", wanted);
      return program;
    }
    program.file = *found;
    if (starts_with(*found, "\177ELF", 4)) return program;
    if (access(found->c_str(), R_OK) != 0) {
      program.problem = fmt::format("{}: cannot be read", found->string());
      return program;
    }
    program.scripts.push_back(found->string());
    wanted = interpreter_of(*found);
  }
  program.problem = fmt::format("{}: a script run by a script run by a script, and so on", command);
  return program;
}

}  // namespace muster::launcher
