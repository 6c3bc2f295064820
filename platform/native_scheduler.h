// The Scheduler that real programs run under: the kernel's. waiting/scheduler.h has the contract of each function.
#pragma once

#include <unistd.h>

#include <cstdint>

#include "platform/affinity.h"
#include "platform/cpus.h"
#include "platform/idle_time.h"
#include "platform/real_time.h"
#include "platform/scheduler_asks.h"
#include "platform/slice.h"
#include "platform/thread_place.h"
#include "platform/yield_cpu.h"

namespace muster {

struct NativeScheduler {
  static void yield() { give_way(); }
  static void nap(std::uint64_t ns) { muster::nap(ns); }
  static bool runs_in_real_time(std::uint64_t now_ns) { return muster::runs_in_real_time(now_ns); }
  static unsigned current_cpu() { return muster::current_cpu(); }
  static unsigned allowed_cpus() { return muster::allowed_cpus(); }
  static bool may_ask_scheduler(std::uint64_t now_ns) { return muster::may_ask_scheduler(now_ns); }

  static bool move_to(unsigned cpu) { return muster::move_to(cpu); }
  static bool leave_cpu(unsigned cpu) { return muster::leave_cpu(cpu); }
  static std::uint64_t idle_ns_elsewhere(unsigned except) {
    return muster::idle_ns_elsewhere(except);
  }
  // Functions that need a mask, 128 bytes, are not inlined: otherwise each wait would have all their masks on its stack.
  // By the process number, so that a second copy of the program most likely picks another one.
  __attribute__((noinline)) static unsigned pick_cpu(unsigned trial) {
    AffinityMask mask;
    const unsigned count = mask.read() ? mask.count() : 0;
    return count > 1 ? mask.nth((static_cast<unsigned>(getpid()) + trial) % count) : kNoCpu;
  }
  // Within the common mask of this process's threads.
  __attribute__((noinline)) static unsigned cpu_for_thread(unsigned thread, unsigned team) {
    AffinityMask mask;
    const unsigned count = mask.read() ? mask.count() : 0;
    if (count <= 1) return kNoCpu;
    return mask.nth((static_cast<unsigned>(getpid()) * team + thread) % count);
  }

  static bool ask_for_slice(std::uint64_t ns) { return muster::ask_for_slice(ns); }
  static bool has_requested_slice() { return muster::has_requested_slice(); }
  static void give_slice_back() { muster::give_slice_back(); }
};

}  // namespace muster
