// A lock for rare paths, usable before any constructor ran and after fork().
#pragma once

#include <atomic>

#include "platform/yield_cpu.h"

namespace muster {

class Lock {
 public:
  void lock() {
    while (held_.exchange(true, std::memory_order_acquire)) yield_cpu();
  }
  bool try_lock() { return !held_.exchange(true, std::memory_order_acquire); }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
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
