// Sleeping on a 32-bit word. Neither call ends the process, whatever the kernel answers, and both
// leave errno as they found it: the host program may be between a call of its own and its look at
// errno.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>

namespace muster {

// Sleeps while `word` holds `expected`. Returns on a wake-up, a signal (EINTR), at once when the
// word has another value (EAGAIN), or for no reason: callers loop and look at their condition
// themselves. Returns true if the thread may have slept, false if the kernel turned it away. With
// `limited`, sleeps a millisecond at most.
inline bool futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected, bool limited) {
  const int saved = errno;
  const timespec millisecond{0, 1'000'000};
  const long answer = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected,
                              limited ? &millisecond : nullptr, nullptr, 0);
  const bool slept = answer == 0 || errno == EINTR || errno == ETIMEDOUT;
  errno = saved;
  return slept;
}

// Wakes everyone who sleeps on `word`, and tells how many. The caller has changed the word before.
inline unsigned futex_wake_all(std::atomic<std::uint32_t>& word) {
  const int saved = errno;
  const long woken = syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  errno = saved;
  return woken > 0 ? static_cast<unsigned>(woken) : 0;
}

}  // namespace muster
