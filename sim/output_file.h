// Where the simulators write what they were asked for: a file, or stdout by the name "-".
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

namespace muster::sim {

struct CloseFile {
  void operator()(std::FILE* file) const {
    if (file != stdout) std::fclose(file);
  }
};
using OutputFile = std::unique_ptr<std::FILE, CloseFile>;

// Throws std::runtime_error where it cannot be written.
inline OutputFile open_output(const std::string& name) {
  OutputFile out(name == "-" ? stdout : std::fopen(name.c_str(), "w"));
  if (out == nullptr) throw std::runtime_error(fmt::format("{}: cannot be written", name));
  return out;
}

}  // namespace muster::sim
