// What a thread of an OpenMP runtime does where the runtime calls sched_yield: Mosberger's `romp`
// ("Affinity ueber alles", HP Labs 2003), made safe. romp makes every such call a no-op. Then a
// thread that waits for a teammate on its own CPU keeps that CPU until the kernel takes it away,
// and for ever under a real-time policy. So some calls are let through here.
//
//   skip()    a call reaches the kernel when the thread's last one is kKeepNs of running ago. A
//             teammate waits for the CPU no longer than that, not for a whole slice (3 ms); and the
//             cost, some 0.5 us a call, is below a hundredth of the time kept.
//   adapt()   every call reaches the kernel, as long as it comes back soon. One that came back only
//             after kStrangersSliceNs gave a stranger its slice. For a pause after it the thread
//             spins for kSpinNs and naps for kNapNs in turn: a nap lets a teammate run too, and
//             the kernel does not charge the rest of the slice for it. Then a call is tried
//             again. The pause doubles from kFirstPauseNs to kLongestPauseNs as long as tries are
//             long; so it takes at most the latter to notice that the stranger has left, and tries
//             cost at most some 7 % of the time beside it.
//   adapt_to_strangers()   the same where there are strangers: a long yield that is a teammate's, who
//             computes, changes nothing. While all is well only one call in eight is timed.
//
// One object a thread. Beyond the system call, 25 to 50 ns for one or two looks at the clock.
#pragma once

#include <algorithm>
#include <cstdint>

#include "waiting/deadline.h"
#include "waiting/wait_stats.h"

namespace muster {

// A thread's calls, each in exactly one of the first three. X(member) for every counter, so that
// adding up forgets none.
#define MUSTER_YIELD_COUNTERS(X)          \
  X(passed)      /* reached the kernel */ \
  X(skipped)     /* returned at once */   \
  X(naps)        /* slept instead */      \
  X(long_yields) /* of the passed: took a stranger's slice (adapt) */

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
  static constexpr std::uint64_t kStrangersSliceNs = 500'000;  // as in waiting/auto_wait.h
  static constexpr std::uint64_t kSpinNs = 20'000;
  static constexpr std::uint64_t kNapNs = 50'000;
  static constexpr std::uint64_t kFirstPauseNs = 1'000'000;
  static constexpr std::uint64_t kLongestPauseNs = 40'000'000;
  static constexpr std::uint64_t kForgetNs = 20'000'000;  // then the next pause is a first one

  template <class Memory>
  void skip(YieldCounts& counts) {
    if (Memory::now_ns() - gave_up_ns_ < kKeepNs) {
      counts.skipped.add();
      return;
    }
    Memory::yield();
    gave_up_ns_ = Memory::now_ns();
    counts.passed.add();
  }

  template <class Memory>
  void adapt(YieldCounts& counts) {
    adapt_where<Memory>(counts, [](std::uint64_t) { return true; });
  }

  // are_there(now_ns): whether there are strangers. Asked after long yields only.
  template <class Memory, class AreThere>
  void adapt_to_strangers(YieldCounts& counts, AreThere&& are_there) {
    if (pause_ns_ == 0 && ++untimed_ % kTimedOneIn != 0) {
      Memory::yield();
      counts.passed.add();
      return;
    }
    adapt_where<Memory>(counts, are_there);
    // Gone for long enough that the next pause would be a first one.
    if (pause_ns_ != 0 && gave_up_ns_ > try_again_ns_ + kForgetNs) pause_ns_ = 0;
  }

 private:
  static constexpr unsigned kTimedOneIn = 8;

  template <class Memory, class IsStranger>
  void adapt_where(YieldCounts& counts, IsStranger&& is_stranger) {
    const std::uint64_t now_ns = Memory::now_ns();
    if (is_ahead(try_again_ns_, now_ns, kLongestPauseNs)) {
      wait_otherwise<Memory>(now_ns, counts);
      return;
    }
    Memory::yield();
    gave_up_ns_ = Memory::now_ns();
    counts.passed.add();
    if (gave_up_ns_ - now_ns >= kStrangersSliceNs) {
      counts.long_yields.add();
      if (is_stranger(gave_up_ns_)) begin_pause(now_ns);
    }
  }

  template <class Memory>
  void wait_otherwise(std::uint64_t now_ns, YieldCounts& counts) {
    if (now_ns - gave_up_ns_ < kSpinNs) {
      counts.skipped.add();
      return;
    }
    Memory::nap(kNapNs);
    gave_up_ns_ = Memory::now_ns();
    counts.naps.add();
  }

  // After a long yield that began at `now_ns`.
  void begin_pause(std::uint64_t now_ns) {
    const bool still_there = pause_ns_ != 0 && now_ns < try_again_ns_ + kForgetNs;
    pause_ns_ = still_there ? std::min(2 * pause_ns_, kLongestPauseNs) : kFirstPauseNs;
    try_again_ns_ = gave_up_ns_ + pause_ns_;
  }

  std::uint64_t gave_up_ns_ = 0;    // when the thread had the CPU back after its last yield or nap
  std::uint64_t try_again_ns_ = 0;  // until then: no yields
  std::uint64_t pause_ns_ = 0;      // the last pause
  unsigned untimed_ = 0;
};

}  // namespace muster
