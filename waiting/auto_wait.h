// `auto`, the default, in its first form:
//
// - The team fits on the CPUs it may use: 2CS+, then block. A teammate is most likely running.
// - It does not fit: a spinning thread keeps a teammate from the CPU, so give the CPU up. How,
// depends on
//   who takes it: a teammate gives it back within a few microseconds, a stranger only after its
//   slice of milliseconds. The time that one sched_yield took tells which. While yields come back
//   soon, yield; once one did not, block at once, and try yielding again later (10 ms, then twice
//   as long each time).
//
// A waiter that has yielded for a millisecond blocks all the same: its teammates are busy with
// something long. What a team may use is read again every 10 ms of waiting, so a narrowed affinity
// is noticed.
#pragma once

#include <atomic>
#include <cstdint>

#include "platform/native_memory.h"
#include "waiting/fixed_time.h"
#include "waiting/waiting_policy.h"

namespace muster {

class AutoWait {
 public:
  explicit AutoWait(const WaitParameters& parameters)
      : two_cs_plus_(parameters),
        team_size_(parameters.team_size),
        bound_cpus_(parameters.bound_cpus) {}

  bool quick_polls() const { return mode() == Mode::kSpin; }
  bool spins_first() const { return mode() != Mode::kBlock; }

  template <class Memory, class Done>
  bool spin(std::uint64_t start_ns, Done&& done, WaitStats& stats) {
    if (start_ns >= look_again_ns_.load(std::memory_order_relaxed)) look_at_cpus<Memory>(start_ns);
    switch (mode()) {
      case Mode::kSpin:
        return two_cs_plus_.spin<Memory>(start_ns, done, stats);
      case Mode::kYield:
        return yield_while_teammates_want_the_cpu<Memory>(start_ns, done, stats);
      case Mode::kBlock:
        if (start_ns < try_yield_ns_.load(std::memory_order_relaxed)) return false;
        set_mode(Mode::kYield);
        return yield_while_teammates_want_the_cpu<Memory>(start_ns, done, stats);
    }
    return false;
  }

 private:
  enum class Mode : int { kSpin, kYield, kBlock };

  static constexpr std::uint64_t kLookEveryNs = 10'000'000;
  static constexpr std::uint64_t kStrangersSliceNs = 500'000;  // teammates come back in 1-100 us
  static constexpr std::uint64_t kLongestYieldingNs = 1'000'000;
  static constexpr std::uint64_t kFirstPauseNs = 10'000'000;
  static constexpr std::uint64_t kLongestPauseNs = 320'000'000;

  Mode mode() const { return mode_.load(std::memory_order_relaxed); }
  void set_mode(Mode mode) { mode_.store(mode, std::memory_order_relaxed); }

  template <class Memory>
  void look_at_cpus(std::uint64_t now_ns) {
    look_again_ns_.store(now_ns + kLookEveryNs, std::memory_order_relaxed);
    const bool fits = team_size_ <= (bound_cpus_ != 0 ? bound_cpus_ : Memory::allowed_cpus());
    if (fits) {
      set_mode(Mode::kSpin);
    } else if (mode() == Mode::kSpin) {
      set_mode(Mode::kYield);
    }
  }

  template <class Memory, class Done>
  bool yield_while_teammates_want_the_cpu(std::uint64_t start_ns, Done&& done, WaitStats& stats) {
    for (std::uint64_t before = start_ns; before - start_ns < kLongestYieldingNs;) {
      if (done()) return true;
      Memory::yield();
      stats.yields.add();
      const std::uint64_t after = Memory::now_ns();
      if (after - before >= kStrangersSliceNs) {
        a_stranger_took_the_cpu(after);
        return done();
      }
      before = after;
    }
    return false;
  }

  void a_stranger_took_the_cpu(std::uint64_t now_ns) {
    if (mode() == Mode::kBlock) return;  // a teammate found out at the same time
    std::uint64_t pause = pause_ns_.load(std::memory_order_relaxed);
    const std::uint64_t tried_since = try_yield_ns_.load(std::memory_order_relaxed);
    if (now_ns - tried_since > pause) pause = kFirstPauseNs;  // yielding was good for that long
    try_yield_ns_.store(now_ns + pause, std::memory_order_relaxed);
    pause_ns_.store(pause * 2 < kLongestPauseNs ? pause * 2 : kLongestPauseNs,
                    std::memory_order_relaxed);
    set_mode(Mode::kBlock);
  }

  FixedTime two_cs_plus_;
  const unsigned team_size_;
  const unsigned bound_cpus_;
  std::atomic<Mode> mode_{Mode::kSpin};
  std::atomic<std::uint64_t> look_again_ns_{0};
  std::atomic<std::uint64_t> try_yield_ns_{0};
  std::atomic<std::uint64_t> pause_ns_{kFirstPauseNs};
};

static_assert(WaitingPolicy<AutoWait, NativeMemory>);

}  // namespace muster
