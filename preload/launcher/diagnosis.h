// What `muster doctor` finds out about a command. Printing is done by doctor_command.cpp.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "preload/launcher/elf_file.h"
#include "preload/launcher/openmp_runtime.h"
#include "preload/launcher/program_lookup.h"
#include "preload/launcher/survey.h"

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
  std::vector<std::filesystem::path> blas;  // OpenBLAS with threads of its own, linked with it
  std::vector<std::filesystem::path> package_folders;  // of a Python interpreter
  Survey packages;                                     // what is in them
  std::vector<std::string> preloads;                   // without Muster
  std::vector<std::string> notes;
  std::vector<std::string> problems;  // each of them prevents Muster from working
  bool works = false;
  std::string verdict;
};

// Of a command as it is run: for Python, the packages that its interpreter finds are examined, too.
Diagnosis diagnose(const std::string& command);

}  // namespace muster::launcher
