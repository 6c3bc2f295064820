// The process that a report is about. At a signal another process writes it (preload/signals/).
#pragma once

#include <unistd.h>

#include <atomic>

namespace muster {

namespace detail {
inline constinit std::atomic<pid_t> g_reported{0};
}

inline void report_is_about(pid_t process) { detail::g_reported.store(process); }

// Whether the writer is another process.
inline bool is_written_for_another() { return detail::g_reported.load() != 0; }

inline pid_t reported_process() {
  const pid_t process = detail::g_reported.load();
  return process != 0 ? process : getpid();
}

}  // namespace muster
