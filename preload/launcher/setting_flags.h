// The flags of `muster run` that stand for variables, on the command line and in one word of `muster compare`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "options/table.h"

namespace muster::launcher {

using Variables = std::vector<std::pair<std::string, std::string>>;

class SettingFlags {
 public:
  SettingFlags();
  // This object must live as long as the command.
  void add_to(CLI::App& command);
  // Appends the variables of the flags that were given. Returns the problem with a bad value, or nothing.
  std::string collect(Variables& variables) const;

 private:
  std::vector<std::string> values_;
  std::vector<CLI::Option*> flags_;
};

// What the program will find: the variable that is about to be set, or the environment's. "": it is not set.
std::string value_in_force(Setting setting, const Variables& variables);

// The variables of flags in one word, as "--wait block --forkjoin off". Throws std::runtime_error.
Variables variables_of_flags(const std::string& words);

}  // namespace muster::launcher
