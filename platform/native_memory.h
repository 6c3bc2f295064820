// The Memory that real programs run on: the machine's own atomics, clock and futex, and the kernel's scheduler. The
// simulators and the model checker use other classes instead; waiting/memory.h lists what each must provide.
#pragma once

#include <atomic>
#include <cstdint>

#include "platform/clock.h"
#include "platform/fences.h"
#include "platform/futex.h"
#include "platform/native_scheduler.h"
#include "platform/pause.h"
#include "platform/reserved_add.h"

namespace muster {

struct NativeMemory {
  using Scheduler = NativeScheduler;

  template <class T>
  using Atomic = NativeAtomic<T>;

  static void pause() { cpu_pause(); }
  template <class Word>
  static void will_write(const Word& word) {
    prefetch_for_write(&word);
  }
  static std::uint64_t now_ns() { return monotonic_ns(); }
  static std::uint64_t thread_cpu_ns() { return muster::thread_cpu_ns(); }
  static std::uint64_t process_cpu_ns() { return muster::process_cpu_ns(); }

  // See fences.h for the contract of the two.
  static void light_fence() { muster::light_fence(); }
  static bool heavy_fence() { return muster::heavy_fence(); }
  static void full_fence() { std::atomic_thread_fence(std::memory_order_seq_cst); }

  // Called by every thread as it arrives: orders all its earlier stores, of any kind, before its later ones.
  static void drain_stores() { drain_non_temporal_stores(); }

  static bool wait(Atomic<std::uint32_t>& word, std::uint32_t expected, bool limited) {
    return futex_wait(word, expected, limited);
  }
  static void wake_all(Atomic<std::uint32_t>& word) { futex_wake_all(word); }
};

}  // namespace muster
