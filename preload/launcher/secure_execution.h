// Whether the loader would ignore LD_PRELOAD for a program: it does where the program gains rights.
#pragma once

#include <filesystem>
#include <string>

namespace muster::launcher {

struct SecureExecution {
  bool preload_ignored = false;  // for whoever asks now
  std::string why;               // "setuid to another user", ...; empty for an ordinary program
};

SecureExecution check_secure_execution(const std::filesystem::path& program);

}  // namespace muster::launcher
