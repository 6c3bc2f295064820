// Keeping the threads of a team that fits on separate CPUs.
//
// Threads meet on one CPU when the runtime creates them, or when one is woken on its waker's CPU. The kernel's load
// balancing does not notice it if only one of them is runnable at a time. What to do depends on the other CPUs:
// - One is idle: a thread that waits for a teammate on its own CPU moves away (a nudge).
// - All have competitors. Together, the team has one CPU, and each barrier costs switches there. Apart, it makes
//   progress only while each of its CPUs runs a teammate, but then as fast as without competitors. Where barriers
//   follow each other closely, apart is faster; with more work between them, together is. So both are tried: instances
//   per second before and after are compared. While apart, threads spin for longer than a competitor's slice: the CPU
//   of a thread that slept would become idle, and the kernel would pull the teammate there. Apart, the team takes more
//   than its fair share if there are fewer competitors than CPUs, so it alternates with together.
// - There are as many competitors as CPUs: the team takes no more than its share, and a thread that sleeps leaves its
//   CPU to a competitor. If apart pays, each thread is kept on a CPU of its own and sleeps soon.
//
// Measured: docs/results/waiting.md.
#pragma once

#include <atomic>
#include <cstdint>

#include "platform/cpus.h"
#include "platform/idle_time.h"
#include "waiting/situation.h"
#include "waiting/trial.h"
#include "waiting/waiting_policy.h"

namespace muster {

class Separation {
 public:
  // Whether the team is kept apart despite competitors: threads spin on.
  bool apart() const { return kept() == Kept::kApart; }

  // Whether each thread has to stay on a CPU of its own.
  bool on_separate_cpus() const { return kept() == Kept::kOnSeparateCpus; }

  // Called every few milliseconds, by one thread at a time of a team that fits.
  template <class Memory>
  void conduct(const Wait<Memory>& wait, const Situation& situation) {
    const std::uint64_t now_ns = wait.start_ns;
    if (on_separate_cpus() && !situation.crowded) stop();
    if (!situation.takes_turns && kept() == Kept::kFree && together_on_ == kNoCpu) {
      window_.forget();
      return;
    }
    // One sample may miss competitors. A team that is held together waits for an idle CPU instead.
    if (situation.alone && together_on_ == kNoCpu && shares_my_cpu(wait)) {
      nudge(wait);
      return;
    }
    if (!window_.begun() || window_.length_ns(now_ns) > 4 * kWindowNs) {
      begin_window(wait);
      return;
    }
    if (window_.length_ns(now_ns) < kWindowNs) return;
    const std::uint64_t idle_ns = Memory::Scheduler::idle_ns_elsewhere(kNoCpu);
    if (idle_ns == kIdleTimeUnknown || idle_before_ns_ == kIdleTimeUnknown) {
      stop();
      return;
    }
    if ((idle_ns - idle_before_ns_) * 2 > window_.length_ns(now_ns)) {
      stop();
      if (situation.takes_turns) nudge(wait);
      return;
    }
    const double rate = window_.rate(now_ns, wait.episode);
    begin_window(wait);
    if (kept() != Kept::kFree) {
      judge(wait, rate);
    } else if (together_on_ != kNoCpu || (shares_my_cpu(wait) && !backoff_.lasts(now_ns))) {
      rate_together_ = rate;
      windows_apart_ = 0;
      together_on_ = kNoCpu;  // threads that are held there could not leave
      keep(situation.crowded ? Kept::kOnSeparateCpus : Kept::kApart);
      if (apart()) nudge(wait);
    }
  }

  void stop() {
    keep(Kept::kFree);
    together_on_ = kNoCpu;
    window_.forget();
  }

  // The CPU on which all threads have to be; kNoCpu: any. Only for the thread that conducts.
  unsigned together_on() const { return together_on_; }

 private:
  static constexpr std::uint64_t kWindowNs = 25'000'000;
  static constexpr double kMustGain = 1.2;  // a window holds few slices of competitors
  static constexpr unsigned kWindowsApart = 2;
  static constexpr unsigned kWindowsOnOwnCpus = 40;

  enum class Kept : std::uint8_t { kFree, kApart, kOnSeparateCpus };

  Kept kept() const { return kept_.load(std::memory_order_relaxed); }
  void keep(Kept where) { kept_.store(where, std::memory_order_relaxed); }

  // Whether a teammate that the caller waits for was last seen on the caller's CPU.
  template <class Memory>
  static bool shares_my_cpu(const Wait<Memory>& wait) {
    return wait.arrivals.absent_on(Memory::Scheduler::current_cpu(), wait.me, wait.episode) !=
           kNobody;
  }

  template <class Memory>
  void begin_window(const Wait<Memory>& wait) {
    window_.begin(wait.start_ns, wait.episode);
    idle_before_ns_ = Memory::Scheduler::idle_ns_elsewhere(kNoCpu);
  }

  template <class Memory>
  void nudge(const Wait<Memory>& wait) {
    window_.forget();
    if (Memory::Scheduler::leave_cpu(Memory::Scheduler::current_cpu())) wait.stats.nudges.add();
  }

  template <class Memory>
  void judge(const Wait<Memory>& wait, double rate) {
    ++windows_apart_;
    if (rate < rate_together_ * kMustGain && (apart() || windows_apart_ == 1)) {
      backoff_.begin(wait.start_ns);
      stop();
    } else if (on_separate_cpus()) {
      if (windows_apart_ == kWindowsOnOwnCpus) stop();  // the work may have changed
    } else if (windows_apart_ == kWindowsApart) {
      stop();
      together_on_ = Memory::Scheduler::current_cpu();
    } else if (shares_my_cpu(wait)) {
      nudge(wait);
    }
  }

  std::atomic<Kept> kept_{Kept::kFree};

  // Only for the thread that conducts.
  RateWindow window_;
  std::uint64_t idle_before_ns_ = kIdleTimeUnknown;
  Backoff backoff_;
  double rate_together_ = 0;
  unsigned windows_apart_ = 0;
  unsigned together_on_ = kNoCpu;
};

}  // namespace muster
