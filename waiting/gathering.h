// Gathering a team on one CPU when strangers want the others.
//
// A barrier needs all threads. Spread over the CPUs beside strangers, the team gets on only while
// every one of its CPUs happens to run a teammate that still has to arrive, and each hand-over
// between CPUs waits for a stranger's slice. On one CPU the team gets on whenever that CPU runs any
// of it: the kernel's fair share of one CPU is used in full. And if the stranger on that CPU is
// made to leave it, which the kernel's load balancing does once it sees the team's threads
// runnable there, the CPU is the team's own: teammates hand it over by sched_yield in a
// microsecond, as on an idle machine, and the strangers still have more than their fair share on
// the other CPUs. Measured on two CPUs: docs/waiting.md.
//
// Only a team that does not fit on its CPUs is gathered, for only its threads have to take turns
// anyway, and only while strangers are near. Whether it pays is learnt by trying: instances a
// second before and after are compared, and a trial that did not pay is not repeated soon.
//
// States. Spread: the kernel places the threads. Pushing: all are on one CPU and burn it while they
// wait, so that the kernel sees how crowded it is and moves the stranger away. Gathered: all on one CPU, waiting as `auto` does.
// A gathered team spreads again when another of its CPUs is found idle.
#pragma once

#include <atomic>
#include <cstdint>

#include "platform/idle_time.h"
#include "waiting/trial.h"
#include "waiting/waiting_policy.h"

namespace muster {

class Gathering {
 public:
  explicit Gathering(const WaitParameters& parameters)
      : wanted_(parameters.may_place && parameters.bound_cpus == 0 && parameters.team_size > 2) {}

  bool pushes(std::uint64_t now_ns) const {
    return now_ns < push_until_ns_.load(std::memory_order_relaxed);
  }

  // For each thread that waits: goes where the team is. Every few milliseconds one of them looks
  // whether the team should be elsewhere.
  template <class Memory>
  void follow(const Wait<Memory>& wait, bool crowded, bool stranger_near) {
    if (!wanted_) return;
    if (wait.start_ns >= next_look_ns_.load(std::memory_order_relaxed)) {
      conduct(wait, crowded, stranger_near);
    }
    const unsigned cpu = cpu_.load(std::memory_order_relaxed);
    if (cpu == Memory::stays_on()) return;
    if (cpu == kNoCpu) {
      Memory::give_place_back();
    } else if (Memory::stay_on(cpu)) {
      wait.stats.moves.add();
    } else {
      refused_.store(true, std::memory_order_relaxed);
    }
  }

 private:
  static constexpr std::uint64_t kMs = 1'000'000;
  static constexpr std::uint64_t kLookEveryNs = 5 * kMs;
  static constexpr std::uint64_t kWindowNs = 40 * kMs;    // to measure instances a second
  static constexpr std::uint64_t kIdleLookNs = 20 * kMs;  // the idle times have steps of 10 ms
  static constexpr std::uint64_t kPushNs = 100 * kMs;     // two or three balancing intervals

  template <class Memory>
  void conduct(const Wait<Memory>& wait, bool crowded, bool stranger_near) {
    std::uint64_t due_ns = next_look_ns_.load(std::memory_order_relaxed);
    if (wait.start_ns < due_ns || conducting_.exchange(true, std::memory_order_acquire)) return;
    next_look_ns_.store(wait.start_ns + kLookEveryNs, std::memory_order_relaxed);
    if (cpu_.load(std::memory_order_relaxed) == kNoCpu) {
      while_spread(wait, crowded && stranger_near);
    } else if (refused_.load(std::memory_order_relaxed) || !crowded) {
      spread();
    } else {
      while_gathered(wait, stranger_near);
    }
    conducting_.store(false, std::memory_order_release);
  }

  template <class Memory>
  void while_spread(const Wait<Memory>& wait, bool strangers_in_the_way) {
    const std::uint64_t now_ns = wait.start_ns;
    if (!strangers_in_the_way || refused_.load(std::memory_order_relaxed)) {
      window_.forget();
      return;
    }
    if (!window_.begun() || window_.length_ns(now_ns) > 4 * kWindowNs) {
      window_.begin(now_ns, wait.episode);
      idle_before_ns_ = Memory::idle_ns_elsewhere(kNoCpu);
      return;
    }
    if (window_.length_ns(now_ns) < kWindowNs || rest_.lasts(now_ns)) return;
    const std::uint64_t idle_ns = Memory::idle_ns_elsewhere(kNoCpu);
    if (idle_ns == kIdleTimeUnknown || idle_before_ns_ == kIdleTimeUnknown) return;
    if ((idle_ns - idle_before_ns_) * 2 > window_.length_ns(now_ns)) {
      window_.forget();  // there is a free CPU: room for everybody
      return;
    }
    rate_spread_ = window_.rate(now_ns, wait.episode);
    const unsigned cpu = Memory::pick_cpu(trials_++);
    if (cpu == kNoCpu) return;
    wait.stats.gatherings.add();
    cpu_.store(cpu, std::memory_order_relaxed);
    push(now_ns);
  }

  template <class Memory>
  void while_gathered(const Wait<Memory>& wait, bool stranger_near) {
    const std::uint64_t now_ns = wait.start_ns;
    if (pushes(now_ns)) return;
    if (!window_.begun()) {
      window_.begin(now_ns, wait.episode);
      idle_before_ns_ = Memory::idle_ns_elsewhere(cpu_.load(std::memory_order_relaxed));
      return;
    }
    const std::uint64_t length_ns = window_.length_ns(now_ns);
    if (length_ns < kIdleLookNs) return;
    const std::uint64_t idle_ns = Memory::idle_ns_elsewhere(cpu_.load(std::memory_order_relaxed));
    if (idle_ns == kIdleTimeUnknown || (idle_ns - idle_before_ns_) * 2 > length_ns) {
      rest_.begin(now_ns);
      spread();
      return;
    }
    if (length_ns < kWindowNs) return;
    const double rate = window_.rate(now_ns, wait.episode);
    window_.begin(now_ns, wait.episode);
    idle_before_ns_ = idle_ns;
    if (!stranger_near) {
      if (rate < rate_spread_) {
        rest_.begin(now_ns);
        spread();
      } else {
        rest_.begin_again(now_ns);  // it pays
      }
    } else if (!rest_.lasts(now_ns)) {
      if (rate < rate_spread_ && rest_.repeated()) {
        rest_.begin(now_ns);
        spread();
      } else {
        push(now_ns);
      }
    }
  }

  void push(std::uint64_t now_ns) {
    push_until_ns_.store(now_ns + kPushNs, std::memory_order_relaxed);
    rest_.begin(now_ns + kPushNs);
    window_.forget();
  }

  void spread() {
    push_until_ns_.store(0, std::memory_order_relaxed);
    cpu_.store(kNoCpu, std::memory_order_relaxed);
    window_.forget();
  }

  const bool wanted_;
  std::atomic<unsigned> cpu_{kNoCpu};  // where the team is gathered
  std::atomic<std::uint64_t> push_until_ns_{0};
  std::atomic<std::uint64_t> next_look_ns_{0};
  std::atomic<bool> refused_{false};  // a thread could not be moved: it is placed by somebody else
  std::atomic<bool> conducting_{false};

  // Only for the thread that conducts.
  RateWindow window_;
  std::uint64_t idle_before_ns_ = kIdleTimeUnknown;
  Rest rest_;
  double rate_spread_ = 0;
  unsigned trials_ = 0;
};

}  // namespace muster
