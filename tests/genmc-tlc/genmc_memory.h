// A Memory (waiting/memory.h) for GenMC: C++ atomics, which it interprets, and a futex made of one.
#pragma once

#include <atomic>
#include <cstdint>

#include "waiting/memory.h"

// GenMC's built-in functions, known to its interpreter by name.
extern "C" {
void __VERIFIER_assert_fail(const char*, const char*, int) noexcept;
int __VERIFIER_thread_create(const void*, void* (*)(void*), void*) noexcept;
int __VERIFIER_barrier_init(int*, const int*, unsigned) noexcept;
int __VERIFIER_barrier_wait(int*) noexcept;
}

namespace muster::genmc {

inline void require(bool holds) {
  if (!holds) __VERIFIER_assert_fail("", "", 0);
}
inline void begin_thread(void* (*function)(void*), void* argument) {
  __VERIFIER_thread_create(nullptr, function, argument);
}

class RealBarrier {
 public:
  void init(unsigned threads) { __VERIFIER_barrier_init(&it_, nullptr, threads); }
  void wait() { __VERIFIER_barrier_wait(&it_); }

 private:
  int it_ = 0;
};

// `kThreadsSleep`: whether any thread ever sleeps. Without membarrier(), which GenMC does not know, both of the
// asymmetric fences are full ones then. If no thread sleeps the light one does nothing, as on the machine.
template <bool kThreadsSleep>
struct GenmcMemory {
  template <class T>
  class Atomic {
   public:
    constexpr explicit Atomic(T value = T{}) : value_(value) {}
    T load(std::memory_order order) const { return value_.load(order); }
    void store(T value, std::memory_order order) { value_.store(value, order); }
    T fetch_add(T value, std::memory_order order) { return value_.fetch_add(value, order); }
    T exchange(T value, std::memory_order order) { return value_.exchange(value, order); }
    bool compare_exchange_weak(T& expected, T value, std::memory_order order,
                               std::memory_order failed) {
      return value_.compare_exchange_strong(expected, value, order, failed);
    }

   private:
    friend GenmcMemory;
    std::atomic<T> value_;
    std::atomic<std::uint32_t> wakes_{0};
  };

  static void light_fence() {
    if (kThreadsSleep) full_fence();
  }
  static bool heavy_fence() {
    require(kThreadsSleep);
    full_fence();
    return true;
  }
  static void full_fence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
  static void drain_stores() {}  // nothing here is stored past the order of release stores

  // The kernel takes a lock in which it compares, so a wake comes either before the comparison, which then
  // sees what the waker stored, or after it, and then ends the sleep. The sleep itself orders nothing.
  static bool wait(Atomic<std::uint32_t>& word, std::uint32_t expected, bool) {
    const std::uint32_t wakes = word.wakes_.load(std::memory_order_acquire);
    if (word.value_.load(std::memory_order_relaxed) != expected) return false;
    while (word.wakes_.load(std::memory_order_relaxed) == wakes) {
    }
    return true;
  }
  static void wake_all(Atomic<std::uint32_t>& word) {
    word.wakes_.fetch_add(1, std::memory_order_acq_rel);
  }

  static void pause() {}
  template <class Word>
  static void will_write(const Word&) {}
  static std::uint64_t now_ns() { return 0; }
};
static_assert(Memory<GenmcMemory<true>>);

}  // namespace muster::genmc
