// The Memory of chaos: the effect of each operation is drawn (weak_memory.h), as is the next thread to run
// (tests/support/simulated_threads.h). The clock jumps, CPUs change, and the scheduler refuses requests.
#pragma once

#include "tests/chaos/weak_memory.h"
#include "waiting/memory.h"

namespace muster::chaos {

struct ChaosMemory {
  template <class T>
  class Atomic {
   public:
    Atomic() : Atomic(T{}) {}
    explicit Atomic(T value) : word_(g_memory->new_word(raw(value))) {}

    T load(std::memory_order order, Place place = Place::current()) const {
      return cooked(g_memory->load(word_, order, kBits, place));
    }
    void store(T value, std::memory_order order, Place place = Place::current()) {
      g_memory->store(word_, raw(value), order, kBits, place);
    }
    T fetch_add(T value, std::memory_order order, Place place = Place::current()) {
      return cooked(g_memory->update(Kind::kAdd, word_, raw(value), order, kBits, place));
    }
    T exchange(T value, std::memory_order order, Place place = Place::current()) {
      return cooked(g_memory->update(Kind::kExchange, word_, raw(value), order, kBits, place));
    }
    bool compare_exchange_weak(T& expected, T value, std::memory_order order,
                               std::memory_order failed, Place place = Place::current()) {
      std::uint64_t before = raw(expected);
      const bool success =
          g_memory->compare_exchange(word_, before, raw(value), order, failed, kBits, place);
      expected = cooked(before);
      return success;
    }
    std::uint16_t word() const { return word_; }

   private:
    static constexpr unsigned kBits = 8 * sizeof(T);
    static std::uint64_t raw(T value) { return static_cast<std::uint64_t>(value); }
    static T cooked(std::uint64_t value) { return static_cast<T>(value); }

    std::uint16_t word_;
  };

  static void light_fence(Place place = Place::current()) { g_memory->light_fence(place); }
  static void full_fence(Place place = Place::current()) { g_memory->full_fence(place); }
  static bool heavy_fence(Place place = Place::current()) { return g_memory->heavy_fence(place); }
  static void drain_stores(Place place = Place::current()) { g_memory->drain(place); }
  static bool wait(Atomic<std::uint32_t>& word, std::uint32_t expected, bool limited,
                   Place place = Place::current()) {
    return g_memory->wait(word.word(), expected, limited, place);
  }
  static void wake_all(Atomic<std::uint32_t>& word, Place place = Place::current()) {
    g_memory->wake(word.word(), place);
  }

  static void pause() { threads->pause(); }
  template <class Word>
  static void will_write(const Word&) {}
  static std::uint64_t now_ns() { return threads->now_ns(); }

  struct Scheduler {
    static void yield() { threads->yield(); }
    static void nap(std::uint64_t ns) { threads->delay(ns); }
    static bool runs_in_real_time(std::uint64_t) { return threads->one_in(8); }
    // All of this only advises `auto`; correctness must not depend on it.
    static unsigned current_cpu() { return threads->one_in(64) ? kNoCpu : threads->cpu(); }
    static unsigned allowed_cpus() { return threads->one_in(8) ? 1 + threads->draw() % 8 : cpus; }
    static unsigned cpu_for_thread(unsigned thread, unsigned) { return thread % cpus; }
    static bool may_ask_scheduler(std::uint64_t) { return !threads->one_in(4); }
    static bool move_to(unsigned cpu) {
      if (threads->one_in(4)) return false;
      threads->move_to(cpu);
      return true;
    }
    static bool leave_cpu(unsigned cpu) {
      threads->move_to((cpu + 1) % cpus);
      return !threads->one_in(4);
    }
    static unsigned pick_cpu(unsigned trial) { return threads->one_in(4) ? kNoCpu : trial % cpus; }
    static std::uint64_t idle_ns_elsewhere(unsigned) {
      return threads->one_in(4) ? kIdleTimeUnknown : threads->now_ns() / (1 + threads->draw() % 4);
    }
    static bool ask_for_slice(std::uint64_t) { return threads->one_in(2); }
    static bool has_requested_slice() { return threads->one_in(2); }
    static void give_slice_back() {}
  };

  static inline test::SimulatedThreads* threads = nullptr;
  static inline unsigned cpus = 2;
};
static_assert(Memory<ChaosMemory>);

}  // namespace muster::chaos
