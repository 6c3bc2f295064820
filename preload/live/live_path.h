// Where a process that runs with MUSTER_LIVE=on shows its state: for libmuster.so and the launcher.
#pragma once

#include <cstddef>
#include <cstdio>

namespace muster {

inline constexpr std::size_t kLivePathSize = 96;

// In memory, in a folder with the sticky bit: others cannot replace the file.
inline void live_path(unsigned long user, long process, char (&out)[kLivePathSize]) {
  std::snprintf(out, kLivePathSize, "/dev/shm/muster-%lu-%ld.json", user, process);
}

}  // namespace muster
