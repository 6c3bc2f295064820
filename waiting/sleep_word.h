// Where the threads of a team sleep: one futex word, so that one system call wakes them all.
//
// The idea is an event count. A sleeper reads the sequence number, says that somebody sleeps,
// fences, looks at its condition once more, and sleeps only while the sequence number is what it
// was. Whoever makes a condition true fences, looks whether somebody sleeps, and if so raises the
// sequence number and wakes. No wake-up is lost: either the sleeper sees the condition, or the
// waker sees the sleeper, and then the raised number keeps the sleeper awake. No system call is
// made while nobody sleeps.
//
// Cost: a waker with nobody asleep loads one line that stays shared in every cache. The fences are
// the asymmetric pair of platform/fences.h, or full ones on both sides where sleeper and waker agree
// on that: always (`block`), or from an instance on (waiting/arrivals.h says how).
#pragma once

#include <atomic>
#include <cstdint>

#include "platform/cache_line.h"
#include "waiting/wait_stats.h"

namespace muster {

template <class Memory>
class SleepWord {
 public:
  // After a store that may end somebody's wait: whether somebody may be asleep on it.
  bool somebody_sleeps(bool full_fences = false) const {
    if (full_fences) {
      Memory::full_fence();
    } else {
      Memory::light_fence();
    }
    return asleep_.load(std::memory_order_relaxed) != 0;
  }

  // After a store that ends the wait of everyone who sleeps here.
  void wake(WaitStats& stats, bool full_fences = false) {
    if (somebody_sleeps(full_fences)) [[unlikely]]
      wake_sleepers(stats);
  }

  // The same for a caller that has made a full fence since that store.
  void wake_after_fence(WaitStats& stats) {
    if (asleep_.load(std::memory_order_relaxed) != 0) wake_sleepers(stats);
  }

  // Returns once done() holds. `done` is a function of shared words that are stored before wake().
  template <class Done>
  void sleep_until(Done&& done, WaitStats& stats, bool full_fences = false) {
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
      if (Memory::wait(sequence_, seen, /*limited=*/!fenced)) stats.wakeups.add();
      if (done()) return;  // else the next round says again that somebody sleeps, and fences
    }
  }

 private:
  void wake_sleepers(WaitStats& stats) {
    // Cleared before the number is raised: a sleeper that says so between the two has read the old
    // number and is turned away by the kernel, then says so again. Relaxed is enough: the number's
    // release tells whoever has read it that this came before (tests/model/state.h).
    if (asleep_.exchange(0, std::memory_order_relaxed) == 0) return;
    sequence_.fetch_add(1, std::memory_order_release);
    stats.wake_calls.add();
    Memory::wake_all(sequence_);
  }

  alignas(kCoherenceGranule) typename Memory::template Atomic<std::uint32_t> asleep_{0};
  typename Memory::template Atomic<std::uint32_t> sequence_{0};
};

}  // namespace muster
