// The mappings of this process, from /proc/self/maps (proc_pid_maps(5)).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "platform/read_file.h"

namespace muster {

struct Mapping {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::uint64_t offset = 0;  // in the file
  bool is_readable = false;
  bool is_executable = false;
  const char* path = "";  // valid until the next one is read; empty: no file
};

// Reads one mapping after the other, through a buffer of the caller that holds a few lines.
class ProcessMaps {
 public:
  ProcessMaps(char* buffer, std::size_t size)
      : lines_("/proc/self/maps", buffer, size - kShortestRest) {}

  // False at the end.
  bool next(Mapping& out) {
    while (const char* line = lines_.next()) {
      if (parse(line, out)) return true;
    }
    return false;
  }

 private:
  // " r-xp 0": parse() reads these behind the addresses without checking for the end of the line.
  static constexpr std::size_t kShortestRest = 8;

  // "7f00-7f01 r-xp 00001000 08:01 42    /lib/x.so"
  static bool parse(const char* line, Mapping& out) {
    char* rest = nullptr;
    out.begin = std::strtoull(line, &rest, 16);
    if (*rest != '-') return false;
    out.end = std::strtoull(rest + 1, &rest, 16);
    out.is_readable = rest[1] == 'r';
    out.is_executable = rest[3] == 'x';
    out.offset = std::strtoull(rest + 6, nullptr, 16);
    const char* path = std::strchr(rest, '/');
    out.path = path != nullptr ? path : "";
    return true;
  }

  FileLines lines_;
};

}  // namespace muster
