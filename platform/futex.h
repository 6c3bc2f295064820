// Sleeping on a 32-bit word. Neither call ends the process, whatever the kernel answers, and both preserve errno: the
// host program may be between a call of its own and reading errno.
//
// Only FUTEX_WAIT and FUTEX_WAKE are used, which every kernel has; a seccomp filter may still deny them. From the first
// refusal on, threads poll instead of sleeping: they yield the CPU a few times and nap in between, so no wake-up is
// needed and none can be lost. A thread that went to sleep before its waker is refused would sleep on, so try_futex()
// tests both before any thread sleeps. A filter that is installed later and denies only the wake cannot be handled (the
// C library's own locks do not survive it either).
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>

#include "platform/missing.h"
#include "platform/yield_cpu.h"

namespace muster {

namespace detail {

inline bool futex_refused() { return times_missing(Missing::kFutex) != 0; }

// Replaces a sleep: until the word changes, but no longer than about 150 us. Yields first, since the thread that will
// change it may want this CPU; then naps, since that may take long.
inline void poll_word(const std::atomic<std::uint32_t>& word, std::uint32_t expected) {
  constexpr unsigned kYields = 8;
  constexpr std::uint64_t kNapNs = 100'000;
  const int saved = errno;
  for (unsigned i = 0; i < kYields; ++i) {
    if (word.load(std::memory_order_acquire) != expected) break;
    give_way();
  }
  errno = saved;
  if (word.load(std::memory_order_acquire) == expected) nap(kNapNs);
}

}  // namespace detail

// Sleeps while `word` holds `expected`. Returns on a wake-up, on a signal (EINTR), at once if the word has another
// value (EAGAIN), or spuriously: callers loop and check their condition themselves. Returns true if the thread may have
// slept, false if the kernel returned at once. With `limited`, sleeps for a millisecond at most.
inline bool futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected, bool limited) {
  if (detail::futex_refused()) [[unlikely]] {
    note_missing(Missing::kFutex, 0);
    detail::poll_word(word, expected);
    return false;
  }
  const int saved = errno;
  const timespec millisecond{0, 1'000'000};
  const long answer = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected,
                              limited ? &millisecond : nullptr, nullptr, 0);
  const bool slept = answer == 0 || errno == EINTR || errno == ETIMEDOUT;
  if (!slept && errno != EAGAIN) note_missing(Missing::kFutex, errno);
  errno = saved;
  return slept;
}

// Wakes all threads that sleep on `word`; returns their number. The caller has changed the word before.
inline unsigned futex_wake_all(std::atomic<std::uint32_t>& word) {
  const int saved = errno;
  const long woken = syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  if (woken < 0) note_missing(Missing::kFutex, errno);
  errno = saved;
  return woken > 0 ? static_cast<unsigned>(woken) : 0;
}

// Tests whether both calls are permitted, before any thread relies on them. About 0.3 us.
inline void try_futex() {
  std::atomic<std::uint32_t> word{0};
  futex_wake_all(word);
  futex_wait(word, 1, /*limited=*/true);  // the word has another value: returns at once
}

}  // namespace muster
