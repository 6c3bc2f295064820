// Moves the threads of a team to where place.h wants them.
//
// Each waiting thread follows: it moves itself if the team is elsewhere. Now and then one of them decides. Threads are
// moved, never pinned (platform/thread_place.h); the kernel may move them away again.
#pragma once

#include <atomic>
#include <cstdint>

#include "platform/cpus.h"
#include "waiting/deadline.h"
#include "waiting/idle_cpus.h"
#include "waiting/place.h"
#include "waiting/trial.h"
#include "waiting/waiting_policy.h"

namespace muster {

class Placement {
 public:
  explicit Placement(const WaitParameters& parameters)
      : wanted_(parameters.settings.place && parameters.bound_cpus == 0) {}

  bool left_to_kernel() const { return place() == Place::kAnywhere; }
  // Whether each thread has a CPU on which no teammate can delay it.
  bool on_own_cpus() const { return place() == Place::kOwnCpus; }

  // Called by each waiting thread. observe() is called only by the thread that decides.
  template <class Memory, class Observe>
  void follow(const Wait<Memory>& wait, Observe&& observe) {
    if (!wanted_) return;
    if (!is_ahead(next_look_ns_.load(std::memory_order_relaxed), wait.start_ns,
                  tuning::kPlaceLookEveryNs) &&
        !deciding_.exchange(true, std::memory_order_acquire)) {
      next_look_ns_.store(wait.start_ns + tuning::kPlaceLookEveryNs, std::memory_order_relaxed);
      decide_place(wait, observe());
      deciding_.store(false, std::memory_order_release);
    }
    if (place() != Place::kAnywhere) go<Memory>(wait);
  }

 private:
  Place place() const { return place_.load(std::memory_order_relaxed); }

  template <class Memory>
  void go(const Wait<Memory>& wait) {
    using Scheduler = typename Memory::Scheduler;
    const unsigned here = Scheduler::current_cpu();
    unsigned cpu = cpu_.load(std::memory_order_relaxed);
    if (cpu == here || !Scheduler::may_ask_scheduler(wait.start_ns)) return;
    if (cpu == kNoCpu) cpu = Scheduler::cpu_for_thread(wait.me, wait.arrivals.team());
    if (cpu == kNoCpu || cpu == here) return;
    if (Scheduler::move_to(cpu)) {
      wait.stats.moves.add();
    } else {
      refused_.store(true, std::memory_order_relaxed);
    }
  }

  // Not inlined, for the stack of each wait.
  template <class Memory>
  [[gnu::noinline]] void decide_place(const Wait<Memory>& wait, PlaceObservation now) {
    const std::uint64_t now_ns = wait.start_ns;
    const Place before = place();
    now.may_move = !refused_.load(std::memory_order_relaxed);
    const Place wanted = candidate(before, now);
    if (wanted == Place::kAnywhere || needs_no_trial(wanted, now)) {
      trial_.forget();
      idle_.forget();
    } else {
      now.cpu_idle = idle_.look<Memory>(now_ns, cpu_.load(std::memory_order_relaxed),
                                        before == Place::kAnywhere);
      if (before == Place::kAnywhere) {
        now.may_try = trial_.may_begin(now_ns, wait.episode);
      } else {
        const bool ends = before == Place::kOwnCpus && !now.apart_is_fair;
        now.trial = trial_.judge(now_ns, wait.episode, ends);
      }
    }
    const Place after = next(before, now);
    if (after != before) change<Memory>(wait, after);
    if (should_leave_cpu(after, now)) leave_cpu<Memory>(wait);
  }

  template <class Memory>
  void change(const Wait<Memory>& wait, Place place) {
    unsigned cpu = kNoCpu;
    idle_.forget();
    if (place == Place::kAnywhere) {
      trial_.forget();
    } else {
      if (place == Place::kOneCpu) {
        cpu = Memory::Scheduler::pick_cpu(trials_++);
        if (cpu == kNoCpu) return;
        wait.stats.gatherings.add();
      }
      trial_.begin(wait.start_ns, wait.episode);
    }
    cpu_.store(cpu, std::memory_order_relaxed);
    place_.store(place, std::memory_order_relaxed);
  }

  template <class Memory>
  void leave_cpu(const Wait<Memory>& wait) {
    const unsigned here = Memory::Scheduler::current_cpu();
    if (wait.arrivals.absent_on(here, wait.me, wait.episode) == kNobody) return;
    if (Memory::Scheduler::leave_cpu(here)) wait.stats.nudges.add();
  }

  const bool wanted_;
  std::atomic<Place> place_{Place::kAnywhere};
  std::atomic<unsigned> cpu_{kNoCpu};  // of kOneCpu
  std::atomic<std::uint64_t> next_look_ns_{0};
  std::atomic<bool> deciding_{false};
  std::atomic<bool> refused_{false};  // a thread could not be moved: the program places it

  // Only for the thread that decides.
  Trial trial_;
  IdleCpus idle_;
  unsigned trials_ = 0;
};

}  // namespace muster
