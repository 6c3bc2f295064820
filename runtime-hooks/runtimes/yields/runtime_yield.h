// What replaces a sched_yield that an OpenMP runtime calls, made safe. Mosberger's `romp` ("Affinity ueber alles", HP Labs
// 2003) makes every such call a no-op. A thread that waits for a teammate on its own CPU then keeps that CPU until the
// kernel preempts it, which under a real-time policy is never.
//
// adapt(): every call reaches the kernel, as long as it returns soon. One that returns only after kOthersSliceNs gave its
// slice to another process, or to a teammate that computes. If others_run() says that it may have been a process, and it
// took more than kFairLoss times what this process has run on this CPU since the thread's last such call or nap, the
// thread pauses: it alternates between spinning for kSpinNs and sleeping for kNapNs. A teammate can run during a sleep,
// too, and the kernel does not charge the rest of the slice for it. Then a call is tried again. The pause doubles from
// kFirstPauseNs to kLongestPauseNs as long as tries take long; so it takes at most kLongestPauseNs to notice that the
// other process has stopped, and tries cost at most some 7 % of the time beside it. If the CPU was this process's for
// about a slice before, the other one only has its share, and naps would make the thread late for its work. Where the
// kernel shares CPUs between cgroups or sessions first, a yield gives nothing to another group's process, but may give a
// teammate a slice: hence what the process has run, not only the thread.
//
// The process's time on this CPU is the thread's own, unless a teammate was on this CPU when it last yielded. Then all
// teammates' time counts: exact for two threads; for more it may excuse what it should not.
//
// One object per thread. Beyond the system call, 25 to 50 ns for one or two clock readings and the CPU's number; a nap or a long
// yield reads two CPU times, two system calls. Memory is that of waiting/memory.h, and has thread_cpu_ns() and
// process_cpu_ns().
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

#include "platform/cpus.h"
#include "waiting/deadline.h"
#include "waiting/wait_stats.h"

namespace muster {

// A thread's calls, each counted in exactly one of the first three. X(member) for every counter, so
// that no sum omits one.
#define MUSTER_YIELD_COUNTERS(X)          \
  X(passed)      /* reached the kernel */ \
  X(skipped)     /* returned at once */   \
  X(naps)        /* slept instead */      \
  X(long_yields) /* of the passed: took another process's slice (adapt) */

struct YieldCounts {
#define MUSTER_COUNTER(name) Tally name;
  MUSTER_YIELD_COUNTERS(MUSTER_COUNTER)
#undef MUSTER_COUNTER

  std::uint64_t seen() const { return passed.read() + skipped.read() + naps.read(); }

  void add_to(YieldCounts& sum) const {
#define MUSTER_COUNTER(name) sum.name.add(name.read());
    MUSTER_YIELD_COUNTERS(MUSTER_COUNTER)
#undef MUSTER_COUNTER
  }

  void clear() {
#define MUSTER_COUNTER(name) name.clear();
    MUSTER_YIELD_COUNTERS(MUSTER_COUNTER)
#undef MUSTER_COUNTER
  }
};

class RuntimeYield {
 public:
  static constexpr std::uint64_t kOthersSliceNs = 500'000;  // as kPreemptedNs in waiting/tuning.h
  static constexpr std::uint64_t kFairLoss = 2;
  static constexpr std::uint64_t kSpinNs = 20'000;
  static constexpr std::uint64_t kNapNs = 50'000;
  static constexpr std::uint64_t kFirstPauseNs = 1'000'000;
  static constexpr std::uint64_t kLongestPauseNs = 40'000'000;
  static constexpr std::uint64_t kForgetNs =
      20'000'000;  // after that, the next pause is a first one

  // others_run(now_ns): whether other processes use the CPUs. has_teammate(cpu): whether was_on(cpu) of a teammate.
  // Called after long yields only.
  template <class Memory, class OthersRun, class HasTeammate>
  void adapt(YieldCounts& counts, OthersRun&& others_run, HasTeammate&& has_teammate) {
    const std::uint64_t now_ns = Memory::now_ns();
    if (is_ahead(try_again_ns_, now_ns, kLongestPauseNs)) {
      wait_otherwise<Memory>(now_ns, counts);
      return;
    }
    Memory::Scheduler::yield();
    const unsigned cpu = came_back<Memory>();
    counts.passed.add();
    const std::uint64_t took_ns = back_since_ns_ - now_ns;
    if (took_ns < kOthersSliceNs) return;
    counts.long_yields.add();
    if (!others_run(back_since_ns_)) return;
    const CpuTimes before = std::exchange(used_, read_times<Memory>());
    // Large in the child of a fork, where CPU times begin anew: the differences wrap.
    const std::uint64_t ours_ns = has_teammate(cpu) ? used_.process_ns - before.process_ns
                                                    : used_.thread_ns - before.thread_ns;
    if (took_ns > kFairLoss * ours_ns) begin_pause(now_ns);
  }

  // Whether the thread was on that CPU after its last adapt(). For other threads, too; relaxed, since a stale answer
  // costs nothing but time.
  bool was_on(unsigned cpu) const {
    return cpu != kNoCpu && cpu_.load(std::memory_order_relaxed) == cpu;
  }

 private:
  struct CpuTimes {
    std::uint64_t thread_ns = 0;
    std::uint64_t process_ns = 0;
  };

  template <class Memory>
  static CpuTimes read_times() {
    return {Memory::thread_cpu_ns(), Memory::process_cpu_ns()};
  }

  // Returns where the thread is.
  template <class Memory>
  unsigned came_back() {
    back_since_ns_ = Memory::now_ns();
    const unsigned cpu = Memory::Scheduler::current_cpu();
    cpu_.store(cpu, std::memory_order_relaxed);
    return cpu;
  }

  template <class Memory>
  void wait_otherwise(std::uint64_t now_ns, YieldCounts& counts) {
    if (now_ns - back_since_ns_ < kSpinNs) {
      counts.skipped.add();
      return;
    }
    Memory::Scheduler::nap(kNapNs);
    came_back<Memory>();
    used_ = read_times<Memory>();
    counts.naps.add();
  }

  // After a long yield that began at `now_ns`.
  void begin_pause(std::uint64_t now_ns) {
    const bool still_there = pause_ns_ != 0 && now_ns < try_again_ns_ + kForgetNs;
    pause_ns_ = still_there ? std::min(2 * pause_ns_, kLongestPauseNs) : kFirstPauseNs;
    try_again_ns_ = back_since_ns_ + pause_ns_;
  }

  std::uint64_t back_since_ns_ = 0;  // when the thread had the CPU back after its last yield or nap
  std::uint64_t try_again_ns_ = 0;   // no yields until then
  std::uint64_t pause_ns_ = 0;       // the last pause
  CpuTimes used_;                    // at the thread's last nap or long yield beside others
  std::atomic<unsigned> cpu_{kNoCpu};  // where it was after its last call
};

}  // namespace muster
