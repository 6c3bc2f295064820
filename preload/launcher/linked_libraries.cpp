#include "preload/launcher/linked_libraries.h"

#include <fmt/format.h>

#include <cstdio>
#include <sstream>
#include <string_view>

#include "preload/launcher/shell_quote.h"

namespace muster::launcher {
namespace {

constexpr std::string_view kLoadError = ": error while loading shared libraries: ";

}  // namespace

LinkedLibraries parse_loader_list(const std::string& output) {
  // "	libm.so.6 => /lib/.../libm.so.6 (0x...)", "	libx.so => not found", "	/lib64/ld...
  // (0x...)", "	linux-vdso.so.1 (0x...)".
  LinkedLibraries libraries;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    // glibc's loader ends at the first missing library and lists none.
    const std::size_t error = line.find(kLoadError);
    if (error != std::string::npos) {
      const std::string name = line.substr(error + kLoadError.size());
      libraries.missing.push_back(name.substr(0, name.find(": ")));
      continue;
    }
    if (line.empty() || line[0] != '\t') continue;
    line.erase(0, 1);
    const std::size_t arrow = line.find(" => ");
    const std::string name = line.substr(0, arrow);
    if (arrow != std::string::npos) line.erase(0, arrow + 4);
    if (line == "not found") {
      libraries.missing.push_back(name);
      continue;
    }
    const std::size_t address = line.rfind(" (0x");
    if (line[0] == '/' && address != std::string::npos)
      libraries.found.emplace_back(line.substr(0, address));
  }
  return libraries;
}

LinkedLibraries list_libraries(const std::string& interpreter, const std::filesystem::path& program,
                               const std::string& preload) {
  std::error_code error;
  if (!std::filesystem::exists(interpreter, error)) {
    LinkedLibraries libraries;
    libraries.problem = fmt::format("its loader, {}, is not on this machine", interpreter);
    return libraries;
  }
  const std::string command = fmt::format(
      "{} {} --list {} 2>&1", shell_assignment("LD_PRELOAD", preload), shell_quote(interpreter),
      shell_quote(std::filesystem::absolute(program).string()));
  std::string output;
  FILE* pipe = popen(command.c_str(), "re");
  char buffer[4096];
  for (std::size_t n = 1; pipe != nullptr && n > 0;) {
    n = std::fread(buffer, 1, sizeof buffer, pipe);
    output.append(buffer, n);
  }
  if (pipe != nullptr) pclose(pipe);
  LinkedLibraries libraries = parse_loader_list(output);
  if (libraries.found.empty() && libraries.missing.empty()) {
    libraries.problem = fmt::format("its loader, {}, does not list its libraries", interpreter);
  }
  return libraries;
}

}  // namespace muster::launcher
