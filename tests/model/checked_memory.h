// The Memory of the model checker: a thread stops before every operation, and the World decides what the operation
// does. Each has its place in the sources, which distinguishes mutants.
#pragma once

#include "tests/model/world.h"
#include "waiting/memory.h"

namespace muster::model {

struct CheckedMemory {
  template <class T>
  class Atomic {
   public:
    Atomic() : Atomic(T{}) {}
    explicit Atomic(T value) : location_(g_world->new_location(raw(value))) {}

    T load(std::memory_order order, Place place = Place::current()) const {
      return cooked(g_world->load(location_, order, kBits, place));
    }
    void store(T value, std::memory_order order, Place place = Place::current()) {
      g_world->store(location_, raw(value), order, kBits, place);
    }
    T fetch_add(T value, std::memory_order order, Place place = Place::current()) {
      return cooked(g_world->update(Kind::kAdd, location_, raw(value), order, kBits, place));
    }
    T exchange(T value, std::memory_order order, Place place = Place::current()) {
      return cooked(g_world->update(Kind::kExchange, location_, raw(value), order, kBits, place));
    }
    bool compare_exchange_weak(T& expected, T value, std::memory_order order,
                               std::memory_order failed, Place place = Place::current()) {
      std::uint64_t before = raw(expected);
      const bool success =
          g_world->compare_exchange(location_, before, raw(value), order, failed, kBits, place);
      expected = cooked(before);
      return success;
    }
    std::uint8_t location() const { return location_; }

   private:
    static constexpr unsigned kBits = 8 * sizeof(T);
    static std::uint64_t raw(T value) { return static_cast<std::uint64_t>(value); }
    static T cooked(std::uint64_t value) { return static_cast<T>(value); }

    std::uint8_t location_;
  };

  static void light_fence(Place place = Place::current()) {
    g_world->fence(Kind::kLightFence, place);
  }
  static void full_fence(Place place = Place::current()) {
    g_world->fence(Kind::kFullFence, place);
  }
  static bool heavy_fence(Place place = Place::current()) {
    return g_world->fence(Kind::kHeavyFence, place);
  }
  static void drain_stores(Place place = Place::current()) { g_world->drain(place); }

  static bool wait(Atomic<std::uint32_t>& word, std::uint32_t expected, bool limited,
                   Place place = Place::current()) {
    return g_world->wait(word.location(), expected, limited, place);
  }
  static void wake_all(Atomic<std::uint32_t>& word, Place place = Place::current()) {
    g_world->wake(word.location(), place);
  }

  // None of these is seen by another thread.
  static void pause() {}
  template <class Word>
  static void will_write(const Word&) {}
  static std::uint64_t now_ns() { return g_world->now_ns(); }
};
static_assert(Memory<CheckedMemory>);

}  // namespace muster::model
