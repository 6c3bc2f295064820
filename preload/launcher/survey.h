// What `muster doctor FOLDER` finds: the copies of OpenMP runtimes in a tree of files, as in a Python environment,
// and who calls them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "preload/launcher/openmp_runtime.h"

namespace muster::launcher {

struct RuntimeFound {
  OpenmpRuntime runtime;
  std::string package;   // of Python; empty: none
  std::string problem;   // why Muster does not reach it; empty where it does
  unsigned callers = 0;  // objects in the tree that ask for it by its name
};

struct StaticFound {
  std::filesystem::path path;
  std::string package;
  RuntimeKind kind = RuntimeKind::kUnknown;
};

struct Survey {
  unsigned objects = 0;                // ELF files looked at
  std::vector<RuntimeFound> runtimes;  // by path
  std::vector<StaticFound> inside;     // runtimes linked into something: untouched
  std::map<std::string, unsigned>
      missing;  // runtimes that objects ask for and that lie elsewhere: how many ask
  std::vector<std::string> problems;  // folders that cannot be read
  unsigned reached = 0;

  bool works() const { return reached > 0 || !missing.empty(); }
};

// A folder, or a shared object; a program is none.
bool is_to_be_surveyed(const std::filesystem::path& path);

Survey survey(const std::vector<std::filesystem::path>& paths, const ElfFile& muster);

}  // namespace muster::launcher
