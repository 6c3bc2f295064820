// Whether the process has one thread: some system calls take microseconds then, and with several threads an RCU grace
// period, 10 ms and more.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "platform/read_file.h"

namespace muster {

// From the link count of /proc/self/task, which takes no descriptor. False if that is not available.
inline bool has_one_thread() {
  struct statx found;
  constexpr const char* kThreads = "/proc/self/task";
  return detail::quiet_syscall(SYS_statx, AT_FDCWD, kThreads, 0, STATX_NLINK, &found) == 0 &&
         found.stx_nlink == 3;  // two of its own, and one per thread
}

}  // namespace muster
