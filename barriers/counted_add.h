// How a thread adds itself to the central counter. add() returns the new count.
//
//                  by loop                                   by instruction
//   POWER          lwarx/stwcx. (ldarx/stdcx.)               the same, its failures not counted
//   AArch64        ldaxr/stlxr, also where LSE exists        ldaddal with LSE, otherwise the same
//   x86-64         a load, then lock cmpxchg                 lock xadd
#pragma once

#include <atomic>
#include <concepts>

#include "waiting/episode.h"
#include "waiting/wait_stats.h"

namespace muster {

// Whether the Memory offers updates by load-reserve and store-conditional.
template <class Counter>
concept Reserves =
    requires(Counter& counter, decltype(counter.load(std::memory_order_relaxed)) value) {
      {
        counter.template reserved_add<std::memory_order_acq_rel>(value, value)
      } -> std::same_as<bool>;
    };

template <class Memory>
struct CountByLoop {
  template <class Counter>
  static Episode add(Counter& counter, unsigned threads, Tally& failures) {
    if constexpr (Reserves<Counter>) {
      Episode before = 0;
      while (!counter.template reserved_add<std::memory_order_acq_rel>(threads, before)) {
        failures.add();
      }
      return before + threads;
    } else {
      Episode seen = counter.load(std::memory_order_relaxed);
      while (!counter.compare_exchange_weak(seen, seen + threads, std::memory_order_acq_rel,
                                            std::memory_order_relaxed)) {
        failures.add();
      }
      return seen + threads;
    }
  }
};

template <class Memory>
struct CountByInstruction {
  template <class Counter>
  static Episode add(Counter& counter, unsigned threads, Tally&) {
    return counter.fetch_add(threads, std::memory_order_acq_rel) + threads;
  }
};

}  // namespace muster
