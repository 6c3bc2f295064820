// The Memory of simulated threads (tests/support/simulated_threads.h).
#pragma once

#include "tests/support/simulated_threads.h"
#include "waiting/memory.h"

namespace muster::test {

inline SimulatedThreads* g_threads = nullptr;  // to which the Memory below belongs

struct StoreOrderMemory : NativeMemory {
  template <class T>
  class Atomic {
   public:
    Atomic() = default;
    explicit constexpr Atomic(T value) : value_(value) {}

    T load(std::memory_order) const {
      g_threads->step();
      std::uint64_t buffered = 0;
      return g_threads->buffer().holds(this, buffered) ? static_cast<T>(buffered) : value_;
    }
    void store(T value, std::memory_order order) {
      g_threads->step();
      g_threads->note_write();
      g_threads->buffer().add(this, value, [](void* self, std::uint64_t stored) {
        static_cast<Atomic*>(self)->value_ = static_cast<T>(stored);
      });
      if (order == std::memory_order_seq_cst) g_threads->buffer().drain();
    }
    T fetch_add(T value, std::memory_order) {
      T& current = locked();
      const T before = current;
      current = static_cast<T>(before + value);
      return before;
    }
    T exchange(T value, std::memory_order) {
      T& current = locked();
      const T before = current;
      current = value;
      return before;
    }
    bool compare_exchange_weak(T& expected, T value, std::memory_order, std::memory_order) {
      T& current = locked();
      const bool equal = current == expected && !g_threads->one_in(64);  // weak: fails spuriously
      if (equal) {
        current = value;
      } else {
        expected = current;
      }
      return equal;
    }
    T in_memory() const { return value_; }

   private:
    // A locked instruction empties the buffer first.
    T& locked() {
      g_threads->step();
      g_threads->note_write();
      g_threads->buffer().drain();
      return value_;
    }

    T value_{};
  };

  static void pause() { g_threads->pause(); }
  template <class Word>
  static void will_write(const Word&) {}
  static std::uint64_t now_ns() { return g_threads->now_ns(); }

  struct Scheduler {
    static void yield() { g_threads->yield(); }
    static void nap(std::uint64_t ns) { g_threads->delay(ns); }
    static bool runs_in_real_time(std::uint64_t) { return false; }
    static unsigned current_cpu() { return g_threads->cpu(); }
    static unsigned allowed_cpus() { return SimulatedThreads::kCpus; }
    // No thread is moved and no slice requested: every request is refused.
    static bool may_ask_scheduler(std::uint64_t) { return false; }
    static bool move_to(unsigned) { return false; }
    static bool leave_cpu(unsigned) { return false; }
    static unsigned pick_cpu(unsigned) { return kNoCpu; }
    static unsigned cpu_for_thread(unsigned, unsigned) { return kNoCpu; }
    static std::uint64_t idle_ns_elsewhere(unsigned) { return kIdleTimeUnknown; }
    static bool ask_for_slice(std::uint64_t) { return false; }
    static bool has_requested_slice() { return false; }
    static void give_slice_back() {}
  };

  static void light_fence() {}
  static void full_fence() {
    if (g_threads->weakness() == Weakness::kFullFence) return;
    g_threads->step();
    g_threads->buffer().drain();
  }
  // Now and then it is refused: then the sleep is limited.
  static bool heavy_fence() {
    g_threads->step();
    g_threads->buffer().drain();
    if (g_threads->weakness() == Weakness::kHeavyFence) return true;
    if (g_threads->one_in(64)) return false;
    g_threads->drain_all();
    return true;
  }

  static bool wait(Atomic<std::uint32_t>& word, std::uint32_t expected, bool limited) {
    g_threads->step();
    g_threads->buffer().drain();  // like the kernel, before it compares the word
    if (word.in_memory() != expected) return false;
    g_threads->sleep(&word, limited);
    return true;
  }
  static void wake_all(Atomic<std::uint32_t>& word) {
    g_threads->step();
    g_threads->wake(&word);
  }
};
static_assert(Memory<StoreOrderMemory>);

}  // namespace muster::test
