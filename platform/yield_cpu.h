// Giving up the CPU for a moment. Bypasses the C library's sched_yield: libmuster.so exports that name for the
// runtimes, and Muster's own waits must not end up there.
#pragma once

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace muster {

// Like the C library's sched_yield: the same system call, result and errno.
inline int yield_cpu() { return static_cast<int>(syscall(SYS_sched_yield)); }

// Sleeps for `ns`, less than a second, plus about 50 us that the kernel adds; shorter after a signal. Not a
// cancellation point; errno is preserved.
inline void nap(std::uint64_t ns) {
  const int saved = errno;
  const timespec time{0, static_cast<long>(ns)};
  syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, nullptr);
  errno = saved;
}

}  // namespace muster
