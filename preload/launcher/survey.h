// The result of `muster doctor FOLDER`: the copies of OpenMP runtimes in a tree of files, such as a Python
// environment, and the objects that call them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "preload/launcher/openmp_runtime.h"

namespace muster::launcher {

struct RuntimeFound {
  OpenmpRuntime runtime;
  std::string package;   // the Python package; empty: none
  std::string problem;   // why Muster does not reach it; empty: it does
  unsigned callers = 0;  // objects in the tree that are linked with it by name
};

struct StaticFound {
  std::filesystem::path path;
  std::string package;
  RuntimeKind kind = RuntimeKind::kUnknown;
};

struct BlasFound {
  std::filesystem::path path;
  std::string package;
};

struct Survey {
  unsigned objects = 0;                // ELF files examined
  std::vector<RuntimeFound> runtimes;  // by path
  std::vector<StaticFound> inside;     // runtimes linked statically into an object: not replaced
  std::vector<BlasFound> blas;         // OpenBLAS with threads of its own: not replaced
  std::map<std::string, unsigned>
      missing;  // runtimes outside of the tree, with the number of objects that are linked with them
  std::vector<std::string> problems;  // folders that cannot be read
  unsigned reached = 0;

  bool works() const { return reached > 0 || !missing.empty(); }
};

// Whether it is a folder or a shared object, not a program.
bool is_to_be_surveyed(const std::filesystem::path& path);

Survey survey(const std::vector<std::filesystem::path>& paths, const ElfFile& muster);

}  // namespace muster::launcher
