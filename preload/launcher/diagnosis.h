// What `muster doctor` finds out about a command. Printing is done by doctor_command.cpp.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "preload/launcher/elf_file.h"
#include "preload/launcher/openmp_runtime.h"
#include "preload/launcher/program_lookup.h"

namespace muster::launcher {

// An object of the program, with the entry points for which Muster interposes.
struct Importer {
  std::filesystem::path path;
  std::vector<std::string> entries;
};

struct Diagnosis {
  Program program;
  std::string description;  // "x86-64, dynamic"
  std::string loader;
  std::vector<OpenmpRuntime> runtimes;  // those it is linked with, in the loader's order
  std::vector<Importer> importers;
  std::vector<std::string> preloads;  // without Muster
  std::vector<std::string> notes;
  std::vector<std::string> problems;  // each of them prevents Muster from working
  bool works = false;
  std::string verdict;
};

Diagnosis diagnose(const std::string& command);

}  // namespace muster::launcher
