// When the process began and what it has used since: the report's times.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <ctime>

namespace muster {

// The process that loaded the library; a child of fork() has another id.
struct LoadedAt {
  pid_t pid;
  timespec time;  // CLOCK_REALTIME
};
const LoadedAt& loaded_at();

// Of a process: from the library's load or, in a child of fork(), from the fork.
struct ProcessTimes {
  timespec started{};  // CLOCK_REALTIME
  timespec ended{};    // now
  std::uint64_t elapsed_ns = 0;
  std::uint64_t user_ns = 0;
  std::uint64_t system_ns = 0;
};
ProcessTimes process_times(pid_t process);

void process_times_after_fork_in_child();

// "2026-11-23T15:13:26.123456Z"
using DateText = char[40];
const char* date_of(const timespec& time, DateText& out);

}  // namespace muster
