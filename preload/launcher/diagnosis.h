// What `muster doctor` finds out about a command, apart from how it is printed.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "preload/launcher/elf_file.h"
#include "preload/launcher/openmp_runtime.h"
#include "preload/launcher/program_lookup.h"

namespace muster::launcher {

// An object of the program and the entry points it gets from Muster.
struct Importer {
  std::filesystem::path path;
  std::vector<std::string> entries;
};

struct Diagnosis {
  Program program;
  std::string description;  // "x86-64, dynamic"
  std::string loader;
  std::vector<OpenmpRuntime> runtimes;  // linked ones, in the loader's order
  std::vector<Importer> importers;
  std::vector<std::string> preloads;  // others than Muster
  std::vector<std::string> notes;
  std::vector<std::string> problems;  // each alone keeps Muster from working
  bool works = false;
  std::string verdict;
};

Diagnosis diagnose(const std::string& command);

}  // namespace muster::launcher
