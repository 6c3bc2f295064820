// A lock for rare paths, usable before any constructor ran and after fork(). A thread that waits for it sleeps soon:
// under a real-time policy a yield gives the CPU to no thread of lower priority, and the holder may be one.
#pragma once

#include <atomic>
#include <cstdint>

#include "platform/futex.h"
#include "platform/pause.h"

namespace muster {

class Lock {
 public:
  void lock() {
    for (unsigned poll = 0; poll < kPolls; ++poll) {
      if (try_lock()) return;
      cpu_pause();
    }
    while (word_.exchange(kAwaited, std::memory_order_acquire) != kFree) {
      futex_wait(word_, kAwaited, /*limited=*/false);
    }
  }
  // False: it was held all the time, some milliseconds.
  bool lock_within(unsigned milliseconds) {
    for (unsigned i = 0; i < milliseconds; ++i) {
      if (word_.exchange(kAwaited, std::memory_order_acquire) == kFree) return true;
      futex_wait(word_, kAwaited, /*limited=*/true);
    }
    return false;
  }
  bool try_lock() {
    std::uint32_t free = kFree;
    return word_.compare_exchange_strong(free, kHeld, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }
  void unlock() {
    if (word_.exchange(kFree, std::memory_order_release) == kAwaited) futex_wake_all(word_);
  }

 private:
  static constexpr unsigned kPolls = 64;
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kAwaited = 2;  // held, and a thread may sleep

  std::atomic<std::uint32_t> word_{kFree};
};

class Locked {
 public:
  explicit Locked(Lock& lock) : lock_(lock) { lock_.lock(); }
  ~Locked() { lock_.unlock(); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  Lock& lock_;
};

}  // namespace muster
