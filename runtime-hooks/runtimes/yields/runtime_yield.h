// What replaces a sched_yield that an OpenMP runtime calls: Mosberger's `romp` ("Affinity ueber alles",
// HP Labs 2003), made safe. romp makes every such call a no-op. A thread that waits for a teammate on
// its own CPU then keeps that CPU until the kernel preempts it, which under a real-time policy is
// never. So some calls reach the kernel here.
//
//   skip()    a call reaches the kernel once the thread has run for kKeepNs since its last one. A
//             teammate waits for the CPU no longer than that, not for a whole slice (3 ms); the cost,
//             some 0.5 us a call, is below a hundredth of the time kept.
//   adapt()   every call reaches the kernel, as long as it returns soon. One that returns only after
//             kOthersSliceNs gave its slice to another process, or to a teammate that computes. If
//             others_run() says that it may have been a process, and it took more than kFairLoss times
//             what the thread and its teammates on this CPU have run since its last such call or nap, the
//             thread pauses: it alternates between spinning for kSpinNs and sleeping for kNapNs. A
//             teammate can run during a sleep, too, and the kernel does not charge the rest of the slice
//             for it. Then a call is tried again. The pause doubles from kFirstPauseNs to kLongestPauseNs
//             as long as tries take long; so it takes at most kLongestPauseNs to notice that the other
//             process has stopped, and tries cost at most some 7 % of the time beside it. If the CPU was
//             this process's for about a slice before, the other one only has its share, and naps would
//             make the thread late for its work. Where the kernel shares CPUs between cgroups or
//             sessions first, a yield gives nothing to another group's process; pauses still begin there
//             after a teammate's slice, which looks like a competitor's.
//
// One object per thread. Beyond the system call, 25 to 50 ns for one or two clock readings; a nap or a long
// yield reads the thread's CPU time, another system call. Memory is that of waiting/memory.h, and has
// thread_cpu_ns().
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

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
  static constexpr std::uint64_t kKeepNs = 100'000;
  static constexpr std::uint64_t kOthersSliceNs = 500'000;  // as kPreemptedNs in waiting/tuning.h
  static constexpr std::uint64_t kFairLoss = 2;
  static constexpr std::uint64_t kSpinNs = 20'000;
  static constexpr std::uint64_t kNapNs = 50'000;
  static constexpr std::uint64_t kFirstPauseNs = 1'000'000;
  static constexpr std::uint64_t kLongestPauseNs = 40'000'000;
  static constexpr std::uint64_t kForgetNs =
      20'000'000;  // after that, the next pause is a first one

  template <class Memory>
  void skip(YieldCounts& counts) {
    if (Memory::now_ns() - gave_up_ns_ < kKeepNs) {
      counts.skipped.add();
      return;
    }
    Memory::Scheduler::yield();
    gave_up_ns_ = Memory::now_ns();
    counts.passed.add();
  }

  // others_run(now_ns): whether other processes use the CPUs. Called after long yields only.
  template <class Memory, class OthersRun>
  void adapt(YieldCounts& counts, OthersRun&& others_run) {
    const std::uint64_t now_ns = Memory::now_ns();
    if (is_ahead(try_again_ns_, now_ns, kLongestPauseNs)) {
      wait_otherwise<Memory>(now_ns, counts);
      return;
    }
    Memory::Scheduler::yield();
    gave_up_ns_ = Memory::now_ns();
    counts.passed.add();
    const std::uint64_t took_ns = gave_up_ns_ - now_ns;
    if (took_ns >= kOthersSliceNs) counts.long_yields.add();
    if (took_ns < kOthersSliceNs || !others_run(gave_up_ns_)) {
      teammates_ns_ += took_ns;
      return;
    }
    // Large in the child of a fork, where a thread's CPU time begins anew: the difference wraps.
    const std::uint64_t before_ns = std::exchange(cpu_ns_, Memory::thread_cpu_ns());
    const std::uint64_t ours_ns = cpu_ns_ - before_ns + std::exchange(teammates_ns_, 0);
    if (took_ns > kFairLoss * ours_ns) begin_pause(now_ns);
  }

 private:
  template <class Memory>
  void wait_otherwise(std::uint64_t now_ns, YieldCounts& counts) {
    if (now_ns - gave_up_ns_ < kSpinNs) {
      counts.skipped.add();
      return;
    }
    Memory::Scheduler::nap(kNapNs);
    gave_up_ns_ = Memory::now_ns();
    cpu_ns_ = Memory::thread_cpu_ns();
    counts.naps.add();
  }

  // After a long yield that began at `now_ns`.
  void begin_pause(std::uint64_t now_ns) {
    const bool still_there = pause_ns_ != 0 && now_ns < try_again_ns_ + kForgetNs;
    pause_ns_ = still_there ? std::min(2 * pause_ns_, kLongestPauseNs) : kFirstPauseNs;
    try_again_ns_ = gave_up_ns_ + pause_ns_;
  }

  std::uint64_t gave_up_ns_ = 0;    // when the thread had the CPU back after its last yield or nap
  std::uint64_t try_again_ns_ = 0;  // no yields until then
  std::uint64_t pause_ns_ = 0;      // the last pause
  std::uint64_t cpu_ns_ = 0;  // the thread's CPU time at its last nap or long yield beside others
  // In yields since then that gave nothing to others. Of one that found nobody, the system call is in the thread's CPU
  // time as well.
  std::uint64_t teammates_ns_ = 0;
};

}  // namespace muster
