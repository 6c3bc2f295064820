// The Memory of the simulated machine: what a barrier does at shared words, the World times and counts.
// The values themselves lie where they would natively, so elements pack into lines in the same way.
#pragma once

#include "sim/coherence/world.h"
#include "waiting/memory.h"

namespace muster::coherence {

inline World* g_world = nullptr;  // that the threads run in

struct SimulatedMemory {
  template <class T>
  class Atomic {
   public:
    Atomic() = default;
    explicit constexpr Atomic(T value) : value_(value) {}

    T load(std::memory_order) const {
      std::uint64_t queued = 0;
      return g_world->load(this, queued) ? static_cast<T>(queued) : value_;
    }
    void store(T value, std::memory_order order) {
      g_world->store(this, value, [](void* self, std::uint64_t stored) {
        static_cast<Atomic*>(self)->value_ = static_cast<T>(stored);
      });
      if (order == std::memory_order_seq_cst) g_world->fence();
    }
    T fetch_add(T value, std::memory_order) {
      return update([value](T before) { return static_cast<T>(before + value); });
    }
    T exchange(T value, std::memory_order) {
      return update([value](T) { return value; });
    }
    bool compare_exchange_weak(T& expected, T value, std::memory_order, std::memory_order) {
      if (g_world->machine().atomics == Atomics::kReservation) {
        g_world->reserve(this);
        if (value_ != expected) {
          expected = value_;
          return false;
        }
        if (!g_world->conditional(this)) return false;
      } else {
        g_world->begin_update(this);
        if (value_ != expected) {
          expected = value_;
          g_world->count_failed_compare();
          return false;
        }
      }
      value_ = value;
      g_world->written(this);
      return true;
    }
    // One attempt of the paper's loop; without reservations, by a load and a compare-and-swap.
    template <std::memory_order order>
    bool reserved_add(T value, T& before) {
      if (g_world->machine().atomics == Atomics::kLocked) {
        before = load(std::memory_order_relaxed);
        return compare_exchange_weak(before, static_cast<T>(before + value), order,
                                     std::memory_order_relaxed);
      }
      g_world->reserve(this);
      before = value_;
      if (!g_world->conditional(this)) return false;
      value_ = static_cast<T>(before + value);
      g_world->written(this);
      return true;
    }
    T in_memory() const { return value_; }

   private:
    template <class Change>
    T update(Change&& change) {
      if (g_world->machine().atomics == Atomics::kReservation) {
        do g_world->reserve(this);
        while (!g_world->conditional(this));
      } else {
        g_world->begin_update(this);
      }
      const T before = value_;
      value_ = change(before);
      g_world->written(this);
      return before;
    }

    T value_{};
  };

  static void pause() { g_world->pass(g_world->machine().pause_cycles); }
  template <class Word>
  static void will_write(const Word& word) {
    g_world->prefetch_to_write(&word);
  }
  static std::uint64_t now_ns() {
    return static_cast<std::uint64_t>(g_world->machine().ns(static_cast<double>(g_world->now())));
  }

  // There is a processor for each thread, and so no scheduler. The times of system calls are rough: what policies that
  // sleep cost is a question for sim/smp.
  static constexpr std::uint64_t kCallNs = 200;
  static constexpr std::uint64_t kWakeNs = 5'000;
  static constexpr std::uint64_t kLimitNs = 1'000'000;

  static void delay(std::uint64_t ns) { g_world->delay(cycles(ns)); }

  static void light_fence() {}
  static void full_fence() { g_world->fence(); }
  static bool heavy_fence() {
    g_world->fence_everybody();
    return true;
  }
  static void drain_stores() {}

  static bool wait(Atomic<std::uint32_t>& word, std::uint32_t expected, bool limited) {
    g_world->fence();
    delay(kCallNs);
    if (word.in_memory() != expected) return false;
    g_world->sleep(&word, limited ? cycles(kLimitNs) : kForEver);
    delay(kWakeNs);
    return true;
  }
  static void wake_all(Atomic<std::uint32_t>& word) {
    g_world->fence();
    delay(kCallNs);
    g_world->wake(&word);
  }

 private:
  static constexpr Cycles kForEver = Cycles{1} << 60;
  static Cycles cycles(std::uint64_t ns) {
    return static_cast<Cycles>(static_cast<double>(ns) * g_world->machine().clock_ghz);
  }
};
static_assert(Memory<SimulatedMemory>);

}  // namespace muster::coherence
