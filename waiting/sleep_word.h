// Where the threads of a team sleep: one futex word, so that one system call wakes them all.
//
// It is an event count. A sleeper reads the sequence number, sets the flag "asleep", fences, checks its condition once
// more, and sleeps only while the sequence number is unchanged. A thread that makes a condition true fences, checks the
// flag, and if it is set increments the sequence number and wakes. No wake-up is lost: either the sleeper sees the
// condition, or the waker sees the flag, and then the new sequence number keeps the sleeper awake. While no thread
// sleeps, no system call is made.
//
// Cost: with no sleeper, a waker loads one line that stays shared in every cache. The fences are the asymmetric pair of
// platform/fences.h, or full fences on both sides where sleeper and waker agree on that: always (`block`), or from an
// instance on (waiting/agreed_bits.h).
#pragma once

#include <atomic>
#include <cstdint>

#include "platform/cache_line.h"
#include "waiting/sleepers.h"
#include "waiting/wait_stats.h"

namespace muster {

template <class Memory>
class SleepWord {
 public:
  // After a store that may end a wait: whether a thread may be asleep here.
  bool somebody_sleeps(bool full_fences = false) const {
    if (full_fences) {
      Memory::full_fence();
    } else {
      Memory::light_fence();
    }
    return asleep_.load(std::memory_order_relaxed) != 0;
  }

  // After a store that ends the wait of all threads that sleep here.
  void wake(WaitStats& stats, bool full_fences = false) {
    if (somebody_sleeps(full_fences)) [[unlikely]]
      wake_sleepers(stats);
  }

  // Returns once done() holds. `done` is a function of shared words that are stored before wake(). `sensor` counts who
  // sleeps; null: nobody asks.
  template <class Done>
  void sleep_until(Done&& done, WaitStats& stats, bool full_fences = false,
                   LoadSensor* sensor = nullptr) {
    for (;;) {
      const std::uint32_t seen = sequence_.load(std::memory_order_acquire);
      asleep_.store(1, std::memory_order_relaxed);
      bool fenced = true;
      if (full_fences) {
        Memory::full_fence();
      } else {
        fenced = Memory::heavy_fence();
      }
      if (done()) return;
      stats.blocks.add();
      const WaitStats::Sleep sleep(stats);
      if (sensor != nullptr) sleepers_.fall_asleep(sensor);
      const bool slept = Memory::wait(sequence_, seen, /*limited=*/!fenced);
      if (sensor != nullptr && (!slept || sequence_.load(std::memory_order_relaxed) == seen))
        sleepers_.wake_one();
      if (slept) stats.wakeups.add();
      if (done()) return;  // otherwise the next round sets the flag again, and fences
    }
  }

 private:
  void wake_sleepers(WaitStats& stats) {
    // Cleared before the increment: a sleeper that sets it between the two has read the old number, so the kernel
    // returns at once, and it sets the flag again. Relaxed is enough: the release of the increment orders the clearing
    // before it for every thread that has read the new number (tests/model/state.h).
    if (asleep_.exchange(0, std::memory_order_relaxed) == 0) return;
    sequence_.fetch_add(1, std::memory_order_release);
    const Sleepers::Woken woken = sleepers_.wake_all();
    stats.wake_calls.add();
    Memory::wake_all(sequence_);
    woken.are_awake();
  }

  alignas(kCoherenceGranule) typename Memory::template Atomic<std::uint32_t> asleep_{0};
  typename Memory::template Atomic<std::uint32_t> sequence_{0};
  Sleepers sleepers_;
};

}  // namespace muster
