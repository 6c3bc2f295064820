// The man pages: muster(1), one for each subcommand, and libmuster(7).
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace muster::launcher::manual {

struct Page {
  std::string file;  // relative to the folder of pages: man1/muster-run.1
  std::string text;
};

std::vector<Page> pages(const CLI::App& app);

}  // namespace muster::launcher::manual
