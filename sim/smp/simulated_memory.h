// The Memory of the simulated SMP: what waiting threads do there, as the World times it. Stores are seen in
// their order and at once, so that fences only take time.
#pragma once

#include "sim/smp/world.h"
#include "waiting/memory.h"

namespace muster::smp {

struct SimulatedMemory {
  template <class T>
  class Atomic : private Word {
   public:
    Atomic() = default;
    explicit constexpr Atomic(T value) : value_(value) {}

    T load(std::memory_order) const {
      t_world->load(*this);
      return value_;
    }
    void store(T value, std::memory_order) {
      t_world->begin_store();
      value_ = value;
      t_world->stored(*this);
    }
    T fetch_add(T value, std::memory_order) {
      return update([value](T before) { return static_cast<T>(before + value); });
    }
    T exchange(T value, std::memory_order) {
      return update([value](T) { return value; });
    }
    bool compare_exchange_weak(T& expected, T value, std::memory_order, std::memory_order) {
      t_world->fetch_to_change(*this);
      t_world->begin_store();
      if (value_ != expected) {
        expected = value_;
        return false;
      }
      value_ = value;
      t_world->stored(*this);
      return true;
    }
    // There are no reservations here to be lost.
    template <std::memory_order order>
    bool reserved_add(T value, T& before) {
      before = fetch_add(value, order);
      return true;
    }

   private:
    friend SimulatedMemory;

    template <class Change>
    T update(Change&& change) {
      t_world->fetch_to_change(*this);
      t_world->begin_store();
      const T before = value_;
      value_ = change(before);
      t_world->stored(*this);
      return before;
    }

    T value_{};
  };

  static void pause() { t_world->pause(); }
  template <class AnyWord>
  static void will_write(const AnyWord&) {}
  // From a moment on that is not 0, which means "not yet".
  static std::uint64_t now_ns() {
    t_world->pay(t_world->costs().clock);
    return kBegan + static_cast<std::uint64_t>(t_world->now());
  }

  struct Scheduler {
    static void yield() { t_world->yield(); }
    static void nap(std::uint64_t ns) { t_world->nap(static_cast<Time>(ns)); }
    static bool runs_in_real_time(std::uint64_t) { return false; }
    static unsigned current_cpu() { return t_world->task().processor; }
    static unsigned allowed_cpus() {
      t_world->pay(t_world->costs().ask);
      return t_world->machine().processors();
    }
    static bool may_ask_scheduler(std::uint64_t now_ns) {
      std::uint64_t& asked_ns = t_world->memory().asked_ns;
      if (now_ns != asked_ns && now_ns - asked_ns < kAskAgainNs) return false;
      asked_ns = now_ns;
      return true;
    }
    static bool move_to(unsigned cpu) {
      if (cpu >= t_world->machine().processors() || t_world->machine().processors() == 1)
        return false;
      t_world->pin(cpu);
      t_world->pin(kNoProcessor);
      return true;
    }
    // To another one in turn: the kernel takes any of those that are left.
    static bool leave_cpu(unsigned cpu) {
      const unsigned count = t_world->machine().processors();
      if (count == 1) return false;
      const unsigned step = 1 + (t_world->running() + t_world->memory().left++) % (count - 1);
      t_world->pin((cpu + step) % count);
      t_world->pin(kNoProcessor);
      return true;
    }
    static unsigned pick_cpu(unsigned trial) {
      t_world->pay(t_world->costs().ask);
      const unsigned count = t_world->machine().processors();
      return count > 1 ? (t_world->task().job + trial) % count : kNoCpu;
    }
    static unsigned cpu_for_thread(unsigned thread, unsigned team) {
      t_world->pay(t_world->costs().ask);
      const unsigned count = t_world->machine().processors();
      return count > 1 ? (t_world->task().job * team + thread) % count : kNoCpu;
    }
    static std::uint64_t idle_ns_elsewhere(unsigned except) {
      const Machine& machine = t_world->machine();
      t_world->pay(t_world->costs().idle_look +
                   t_world->costs().idle_look_each * static_cast<Time>(machine.processors()));
      Time idle = 0;
      for (unsigned i = 0; i < machine.processors(); ++i) {
        if (i == except) continue;
        const Processor& processor = machine.processor(i);
        Time here = processor.times[static_cast<int>(Activity::kIdle)];
        if (processor.activity == Activity::kIdle) here += machine.now() - processor.since;
        idle += here / kIdleStepNs * kIdleStepNs;
      }
      return static_cast<std::uint64_t>(idle);
    }
    static bool ask_for_slice(std::uint64_t ns) {
      t_world->pay(2 * t_world->costs().ask);
      t_world->task().slice = static_cast<Time>(ns);
      return true;
    }
    static bool has_requested_slice() { return t_world->task().slice != 0; }
    static void give_slice_back() {
      if (!has_requested_slice()) return;
      t_world->pay(2 * t_world->costs().ask);
      t_world->task().slice = 0;
    }
  };

  static void light_fence() {}
  static void full_fence() {}
  static bool heavy_fence() {
    t_world->fence_everybody();
    return true;
  }
  static void drain_stores() {}

  static bool wait(Atomic<std::uint32_t>& word, std::uint32_t expected, bool limited) {
    return t_world->sleep(
        word, [&] { return word.value_ == expected; }, limited ? kLimitNs : kNever);
  }
  static void wake_all(Atomic<std::uint32_t>& word) { t_world->wake(word); }

 private:
  static constexpr std::uint64_t kBegan = 1'000'000'000;
  static constexpr std::uint64_t kAskAgainNs = 100'000;  // platform/scheduler_asks.h
  static constexpr Time kLimitNs = 1'000'000;
  static constexpr Time kIdleStepNs = 10'000'000;
};
static_assert(Memory<SimulatedMemory>);

}  // namespace muster::smp
