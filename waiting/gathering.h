// Gathering a team on one CPU when competitors want the others.
//
// A barrier needs all threads. Spread over CPUs that competitors use, a team makes progress only while each of these
// CPUs happens to run a teammate that still has to arrive, and each switch between CPUs waits for a competitor's slice.
// On one CPU the team makes progress whenever that CPU runs any of its threads, so it uses its fair share of that CPU
// in full. If the competitor leaves that CPU as well, the team has it alone: its threads switch by sched_yield within a
// microsecond, as on an idle machine, and the competitors still have more than their fair share on the other CPUs. The
// kernel's load balancing moves the competitor away once it sees the team's threads runnable there. Measured on two
// CPUs: docs/results/waiting.md.
//
// Two kinds of teams are gathered, and only if their threads may be placed:
// - A team that does not fit on its CPUs and has competitors: its threads have to take turns anyway. A CPU that becomes
//   idle by gathering pulls the competitor; otherwise the team pushes, see below.
// - The same team under a quota of one CPU: spread, it uses up the quota in a part of each period and is stopped for
//   the remainder; on one CPU it runs all the time. This needs no push and no trial.
// A trial shows whether gathering pays: instances per second before and after are compared, and a trial that did not
// pay is not repeated soon. A gathered team spreads again when another of its CPUs is found idle.
//
// A team that fits is kept on separate CPUs: waiting/separation.h.
//
// States. Spread: the kernel places the threads. Pushing: all are on one CPU and keep it busy while they wait, so that
// the kernel sees how loaded it is and moves the competitor away. Gathered: all are on one CPU, waiting as `auto` does.
#pragma once

#include <atomic>
#include <cstdint>

#include "platform/cpus.h"
#include "platform/idle_time.h"
#include "waiting/deadline.h"
#include "waiting/separation.h"
#include "waiting/situation.h"
#include "waiting/trial.h"
#include "waiting/waiting_policy.h"

namespace muster {

class Gathering {
 public:
  explicit Gathering(const WaitParameters& parameters)
      : wanted_(parameters.settings.place && parameters.bound_cpus == 0),
        full_round_ns_((parameters.team_size + 2) * kTurnNs) {}

  bool pushes(std::uint64_t now_ns) const {
    return is_ahead(push_until_ns_.load(std::memory_order_relaxed), now_ns, kPushNs);
  }

  // Whether the team is kept apart despite competitors, and its threads spin on.
  bool apart() const { return separation_.apart(); }
  // Whether each thread is kept on a CPU of its own, so that no teammate can delay it.
  bool on_separate_cpus() const { return separation_.on_separate_cpus(); }

  // Called by each pushing thread whenever it reads the clock; false: stop pushing. A push ends early once only the
  // team has run on the CPU for so long that a competitor would have had its turn.
  bool keeps_pushing(std::uint64_t now_ns) {
    if (!pushes(now_ns)) return false;
    const std::uint64_t last_ns = last_push_ns_.load(std::memory_order_relaxed);
    last_push_ns_.store(now_ns, std::memory_order_relaxed);
    if (is_ahead(last_ns + kTeammateWorksNs, now_ns, kPushNs)) {
      const std::uint64_t since_ns = alone_since_ns_.load(std::memory_order_relaxed);
      if (now_ns < since_ns + full_round_ns_) return true;
      push_until_ns_.store(0, std::memory_order_relaxed);
      return false;
    }
    alone_since_ns_.store(now_ns, std::memory_order_relaxed);
    return true;
  }

  // Called by each waiting thread: moves it to where the team is. Every few milliseconds one of the threads decides
  // whether the team should be elsewhere; only then is `situation` called.
  template <class Memory, class SituationOf>
  void follow(const Wait<Memory>& wait, SituationOf&& situation) {
    if (!wanted_) return;
    if (may_look(wait.start_ns)) conduct(wait, situation);
    const bool on_separate_cpus = separation_.on_separate_cpus();
    // cpu_for_thread() makes a system call.
    if (on_separate_cpus && !Memory::Scheduler::may_ask_scheduler(wait.start_ns)) return;
    const unsigned cpu = on_separate_cpus ? Memory::Scheduler::cpu_for_thread(wait.me)
                                          : cpu_.load(std::memory_order_relaxed);
    if (cpu == kNoCpu || cpu == Memory::Scheduler::current_cpu()) return;
    if (!Memory::Scheduler::may_ask_scheduler(wait.start_ns)) return;
    if (Memory::Scheduler::move_to(cpu)) {
      wait.stats.moves.add();
    } else {
      refused_.store(true, std::memory_order_relaxed);
    }
  }

 private:
  enum class Why { kCompetitors, kQuota };

  static constexpr std::uint64_t kMs = 1'000'000;
  static constexpr std::uint64_t kLookEveryNs = 5 * kMs;
  static constexpr std::uint64_t kWindowNs = 25 * kMs;    // to measure instances a second
  static constexpr std::uint64_t kIdleLookNs = 20 * kMs;  // the idle times have steps of 10 ms
  static constexpr std::uint64_t kPushNs = 200 * kMs;     // three balancing intervals
  static constexpr std::uint64_t kTurnNs =
      4 * kMs;  // of a thread that only computes: a kernel tick
  static constexpr std::uint64_t kTeammateWorksNs = 1 * kMs;  // and does not wait meanwhile

  // One CPU of more than these is less than what competitors leave to a spread team, and a trial with that many threads
  // is expensive.
  static constexpr unsigned kMostCpus = 4;

  bool may_look(std::uint64_t now_ns) const {
    return !is_ahead(next_look_ns_.load(std::memory_order_relaxed), now_ns, kLookEveryNs);
  }

  template <class Memory, class SituationOf>
  void conduct(const Wait<Memory>& wait, SituationOf&& situation_of) {
    if (!may_look(wait.start_ns) || conducting_.exchange(true, std::memory_order_acquire)) return;
    next_look_ns_.store(wait.start_ns + kLookEveryNs, std::memory_order_relaxed);
    const Situation situation = situation_of();
    const bool gathered = cpu_.load(std::memory_order_relaxed) != kNoCpu;
    const bool refused = refused_.load(std::memory_order_relaxed);
    if (refused) {
      separation_.stop();
      if (gathered) spread();
    } else if (situation.fits) {
      separation_.conduct(wait, situation);
      if (cpu_.load(std::memory_order_relaxed) != separation_.together_on()) spread();
      cpu_.store(separation_.together_on(), std::memory_order_relaxed);
    } else if (gathered) {
      look_while_gathered(wait, situation);
    } else {
      separation_.stop();
      look_while_spread(wait, situation);
    }
    conducting_.store(false, std::memory_order_release);
  }

  template <class Memory>
  void look_while_spread(const Wait<Memory>& wait, const Situation& situation) {
    const std::uint64_t now_ns = wait.start_ns;
    if (situation.one_cpu_quota) {
      gather(wait, Why::kQuota);
      return;
    }
    if (!situation.competitor_near || situation.cpus > kMostCpus) {
      window_.forget();
      return;
    }
    if (!window_.begun() || window_.length_ns(now_ns) > 4 * kWindowNs) {
      window_.begin(now_ns, wait.episode);
      idle_before_ns_ = Memory::Scheduler::idle_ns_elsewhere(kNoCpu);
      return;
    }
    if (window_.length_ns(now_ns) < kWindowNs) return;
    const std::uint64_t idle_ns = Memory::Scheduler::idle_ns_elsewhere(kNoCpu);
    if (idle_ns == kIdleTimeUnknown || idle_before_ns_ == kIdleTimeUnknown) return;
    if ((idle_ns - idle_before_ns_) * 2 > window_.length_ns(now_ns)) {
      window_.forget();  // there is a free CPU for the competitors
      return;
    }
    if (backoff_.lasts(now_ns)) return;
    rate_spread_ = window_.rate(now_ns, wait.episode);
    gather(wait, Why::kCompetitors);
  }

  template <class Memory>
  void gather(const Wait<Memory>& wait, Why why) {
    const unsigned cpu = Memory::Scheduler::pick_cpu(trials_++);
    if (cpu == kNoCpu) return;
    wait.stats.gatherings.add();
    why_ = why;
    evaluated_ = false;
    window_.forget();
    cpu_.store(cpu, std::memory_order_relaxed);
    backoff_.begin(wait.start_ns);
  }

  template <class Memory>
  void look_while_gathered(const Wait<Memory>& wait, const Situation& situation) {
    const std::uint64_t now_ns = wait.start_ns;
    if (why_ == Why::kQuota) {
      if (!situation.one_cpu_quota) spread();
      return;
    }
    if (pushes(now_ns)) return;
    if (!window_.begun()) {
      window_.begin(now_ns, wait.episode);
      idle_before_ns_ = Memory::Scheduler::idle_ns_elsewhere(cpu_.load(std::memory_order_relaxed));
      return;
    }
    const std::uint64_t length_ns = window_.length_ns(now_ns);
    if (length_ns < kIdleLookNs) return;
    const std::uint64_t idle_ns =
        Memory::Scheduler::idle_ns_elsewhere(cpu_.load(std::memory_order_relaxed));
    if (idle_ns == kIdleTimeUnknown || (idle_ns - idle_before_ns_) * 2 > length_ns) {
      backoff_.begin(now_ns);
      spread();
      return;
    }
    const bool first_look = !evaluated_;
    if (length_ns < kWindowNs && !(first_look && situation.competitor_near)) return;
    evaluated_ = true;
    const double rate = window_.rate(now_ns, wait.episode);
    window_.begin(now_ns, wait.episode);
    idle_before_ns_ = idle_ns;
    const bool pays = rate >= rate_spread_;
    if (!situation.competitor_near && pays) {
      backoff_.begin_again(now_ns);
    } else if (!situation.competitor_near) {
      backoff_.begin(now_ns);
      spread();
    } else if (first_look || !backoff_.lasts(now_ns)) {
      if (!pays && backoff_.repeated()) {
        backoff_.begin(now_ns);
        spread();
      } else {
        push(now_ns);
      }
    }
  }

  void push(std::uint64_t now_ns) {
    last_push_ns_.store(now_ns, std::memory_order_relaxed);
    alone_since_ns_.store(now_ns, std::memory_order_relaxed);
    push_until_ns_.store(now_ns + kPushNs, std::memory_order_relaxed);
    backoff_.begin(now_ns + kPushNs);
    window_.forget();
  }

  void spread() {
    push_until_ns_.store(0, std::memory_order_relaxed);
    cpu_.store(kNoCpu, std::memory_order_relaxed);
    window_.forget();
  }

  Separation separation_;
  const bool wanted_;
  const std::uint64_t full_round_ns_;
  std::atomic<unsigned> cpu_{kNoCpu};  // where the team is gathered, if it is
  std::atomic<std::uint64_t> push_until_ns_{0};
  std::atomic<std::uint64_t> last_push_ns_{0};
  std::atomic<std::uint64_t> alone_since_ns_{0};
  std::atomic<std::uint64_t> next_look_ns_{0};
  std::atomic<bool> refused_{false};  // a thread could not be moved: the program places it
  std::atomic<bool> conducting_{false};

  // Only for the thread that conducts.
  RateWindow window_;
  std::uint64_t idle_before_ns_ = kIdleTimeUnknown;
  Backoff backoff_;
  double rate_spread_ = 0;
  Why why_ = Why::kCompetitors;
  unsigned trials_ = 0;
  bool evaluated_ = false;  // this trial has been evaluated at least once
};

}  // namespace muster
