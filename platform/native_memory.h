// The Memory that real programs run on: the machine's own atomics, clock and futex. The simulators and the model
// checker use other classes instead; barriers/memory.h lists what each must provide.
#pragma once

#include <atomic>
#include <cstdint>

#include "platform/clock.h"
#include "platform/cpus.h"
#include "platform/fences.h"
#include "platform/futex.h"
#include "platform/idle_time.h"
#include "platform/pause.h"
#include "platform/real_time.h"
#include "platform/reserved_add.h"
#include "platform/scheduler_asks.h"
#include "platform/slice.h"
#include "platform/thread_place.h"
#include "platform/yield_cpu.h"

namespace muster {

struct NativeMemory {
  template <class T>
  using Atomic = NativeAtomic<T>;

  static void pause() { cpu_pause(); }
  template <class Word>
  static void will_write(const Word& word) {
    prefetch_for_write(&word);
  }
  static std::uint64_t now_ns() { return monotonic_ns(); }
  static void yield() { yield_cpu(); }
  static void nap(std::uint64_t ns) { muster::nap(ns); }
  static bool runs_in_real_time(std::uint64_t now_ns) { return muster::runs_in_real_time(now_ns); }
  static unsigned current_cpu() { return muster::current_cpu(); }
  static unsigned allowed_cpus() { return muster::allowed_cpus(); }

  // See scheduler_asks.h.
  static bool may_ask_scheduler(std::uint64_t now_ns) { return muster::may_ask_scheduler(now_ns); }

  // Moving threads: platform/thread_place.h. Functions that need a mask, 128 bytes, are not inlined: otherwise each
  // wait would have all their masks on its stack.
  static bool move_to(unsigned cpu) { return muster::move_to(cpu); }
  static bool leave_cpu(unsigned cpu) { return muster::leave_cpu(cpu); }
  __attribute__((noinline)) static std::uint64_t idle_ns_elsewhere(unsigned except) {
    AffinityMask mask;
    return mask.read() ? muster::idle_ns_elsewhere(mask, except) : kIdleTimeUnknown;
  }
  // One of the caller's CPUs: a different one for each trial, and most likely a different one than a second copy of the
  // program picks. kNoCpu if it has only one.
  __attribute__((noinline)) static unsigned pick_cpu(unsigned trial) {
    AffinityMask mask;
    const unsigned count = mask.read() ? mask.count() : 0;
    return count > 1 ? mask.nth((static_cast<unsigned>(getpid()) + trial) % count) : kNoCpu;
  }

  // The same for each thread of a team that fits, within the common mask of this process's threads.
  __attribute__((noinline)) static unsigned cpu_for_thread(unsigned thread) {
    AffinityMask mask;
    const unsigned count = mask.read() ? mask.count() : 0;
    return count > 1 ? mask.nth(thread % count) : kNoCpu;
  }

  // See slice.h.
  static bool ask_for_slice(std::uint64_t ns) { return muster::ask_for_slice(ns); }
  static bool has_requested_slice() { return muster::has_requested_slice(); }
  static void give_slice_back() { muster::give_slice_back(); }

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
