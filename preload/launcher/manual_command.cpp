// `muster manual`: writes the man pages into a folder.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>

#include "preload/launcher/commands.h"
#include "preload/launcher/manual/pages.h"

namespace muster::launcher {
namespace {

int report_problem(const std::filesystem::path& file, const std::string& problem) {
  fmt::print(stderr, "muster manual: {}: {}\n", file.string(), problem);
  return kNotWritten;
}

int write_pages(const CLI::App& app, const std::filesystem::path& folder) {
  for (const manual::Page& page : manual::pages(app)) {
    const std::filesystem::path file = folder / page.file;
    std::error_code error;
    std::filesystem::create_directories(file.parent_path(), error);
    if (error) return report_problem(file.parent_path(), error.message());
    errno = 0;
    std::ofstream stream(file);
    stream << page.text;
    stream.close();
    if (!stream) return report_problem(file, std::strerror(errno));
  }
  return 0;
}

}  // namespace

void add_manual(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("manual", "Write the man pages into a folder.");
  command->footer(
      "The folder gets the subfolders man1 and man7. man reads ../share/man beside each folder in "
      "PATH.\n"
      "Exit status: 0 written, 1 a file cannot be written (a line on stderr), 2 a usage error.\n"
      "Examples:\n"
      "  muster manual ~/.local/share/man");
  auto folder = std::make_shared<std::string>();
  command->add_option("DIRECTORY", *folder, "The folder of man pages; it is created.")->required();
  command->callback([&app, folder, &status] { status = write_pages(app, *folder); });
}

}  // namespace muster::launcher
