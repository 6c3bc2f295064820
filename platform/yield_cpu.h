// Giving up the CPU for a moment. Bypasses the C library's sched_yield: libmuster.so exports that name for the
// runtimes, and Muster's own waits must not end up there.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "platform/missing.h"
#include "platform/optional_calls.h"

namespace muster {

// For calls of the program's: the same system call, result and errno as the C library's sched_yield.
inline int yield_cpu() { return static_cast<int>(syscall(SYS_sched_yield)); }

// Sleeps for `ns`, less than a second, plus about 50 us that the kernel adds; shorter after a signal. Not a
// cancellation point; errno is preserved. By futex, which the runtimes need anyway, if it works.
__attribute__((noinline)) inline void nap(std::uint64_t ns) {
  const int saved = errno;
  const timespec time{0, static_cast<long>(ns)};
  const std::uint32_t nobody_wakes = 0;
  if (times_missing(Missing::kFutex) != 0) {
    optional_call(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, nullptr);
  } else {
    syscall(SYS_futex, &nobody_wakes, FUTEX_WAIT_PRIVATE, 0, &time, nullptr, 0);
  }
  errno = saved;
}

// For Muster's own waits: another thread has its turn. Out of line, as nap(): each algorithm has its waits.
__attribute__((noinline)) inline void give_way() {
  const int saved = errno;
  if (optional_call(SYS_sched_yield) != 0) nap(1);
  errno = saved;
}

}  // namespace muster
