// Giving the CPU up for a moment. Past the C library's sched_yield: libmuster.so exports that name
// for the runtimes' sake, and Muster's own waits must not come back to it.
#pragma once

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace muster {

// What the C library's sched_yield does: the same system call, result and errno.
inline int yield_cpu() { return static_cast<int>(syscall(SYS_sched_yield)); }

// Sleeps for `ns`, below a second, and some 50 us that the kernel adds; less after a signal. No
// cancellation point, and errno stays.
inline void nap(std::uint64_t ns) {
  const int saved = errno;
  const timespec time{0, static_cast<long>(ns)};
  syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, nullptr);
  errno = saved;
}

}  // namespace muster
