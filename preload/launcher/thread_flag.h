// `--threads auto|<n>` of `muster run`: sets the variables by which OpenMP and BLAS libraries choose how many threads
// they start.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "preload/launcher/setting_flags.h"
#include "preload/launcher/thread_facts.h"

namespace muster::launcher {

// In the order in which they are set. A library that does not find its own uses OMP_NUM_THREADS, with few exceptions.
inline constexpr const char* kThreadVariables[] = {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                                                   "MKL_NUM_THREADS", "BLIS_NUM_THREADS",
                                                   "NUMEXPR_NUM_THREADS"};

class ThreadFlag {
 public:
  // This object must live as long as the command.
  void add_to(CLI::App& command);
  // With a bad value, or nothing.
  std::string problem() const;
  // Appends the variables that the user has not set; a number also replaces OMP_NUM_THREADS. Returns what was
  // chosen and why, in a line; nothing if the flag was not given.
  std::string set(Variables& variables, const FactSources& sources) const;

 private:
  bool given() const;

  std::string value_;
  CLI::Option* flag_ = nullptr;
};

}  // namespace muster::launcher
