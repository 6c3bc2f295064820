// Whether the loader would ignore LD_PRELOAD for a program, as it does if the program gains privileges.
#pragma once

#include <filesystem>
#include <string>

namespace muster::launcher {

struct SecureExecution {
  bool preload_ignored = false;  // for the current user
  std::string why;               // "setuid to another user", ...; empty for an ordinary program
};

SecureExecution check_secure_execution(const std::filesystem::path& program);

}  // namespace muster::launcher
