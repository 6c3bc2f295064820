// `auto`, the default. No spin time suits every situation, so each wait asks which thread it would delay.
//
// Whether to spin. Spinning is harmless while the team has no other use for the CPU. A waiter looks for a teammate that
// has not arrived and was last seen on the waiter's own CPU (waiting/arrivals.h). If there is one, spinning only keeps
// it from running: give up the CPU at once. If there is none, spin for a limited time, then block on the team's word.
//
// How to give up the CPU. sched_yield is the cheapest way while only teammates want the CPU: they return within
// microseconds. With a competitor it is the worst: the kernel charges the caller a whole slice, and the competitor runs
// for milliseconds. Sleeping for the teammate costs two more system calls and loses no slice. Competitors are noticed
// by missing time: a yield, a gap between two clock reads while spinning, or a sleep for a teammate that took as long
// as a slice. If none was noticed for some time, yield, and spin for longer, since nobody else wants the CPU.
//
// docs/understand/waiting.md explains it; what else was tried is in docs/results/notes/waiting.md.
#pragma once

#include <cstdint>

#include "platform/native_memory.h"
#include "waiting/contention.h"
#include "waiting/gathering.h"
#include "waiting/requested_slice.h"
#include "waiting/scheduler.h"
#include "waiting/waiting_policy.h"

namespace muster {

class AutoWait {
 public:
  explicit AutoWait(const WaitParameters& parameters)
      : slice_(parameters), contention_(parameters), gathering_(parameters) {}

  static constexpr bool kUsesArrivals = true;
  // The threads of a team that fits and has no competitors do not delay each other, so nothing is recorded.
  bool records_arrivals() const { return contention_.contended(); }
  bool quick_polls() const { return !contention_.takes_turns(); }
  static bool spins_first() { return true; }
  void falls_asleep() { contention_.falls_asleep(); }
  void woke_up() { contention_.woke_up(); }

  template <class Memory, class Done>
    requires HasScheduler<Memory>
  bool spin(const Wait<Memory>& wait, Done&& done) {
    agree_on_turns(wait, contention_.template look<Memory>(wait.start_ns, wait.episode));
    slice_.adapt(wait, contention_);
    gathering_.follow(wait, [&] { return contention_.situation(wait.start_ns); });
    if (gathering_.pushes(wait.start_ns) && push<Memory>(done)) return true;
    // Yields would not help: the teammate may have a lower priority.
    const bool real_time = Memory::Scheduler::runs_in_real_time(wait.start_ns);
    if (real_time && contention_.is_one_cpu()) return done();
    const bool spins_briefly = real_time || contention_.competitor_near(wait.start_ns);
    const std::uint64_t budget_ns = spins_briefly ? kSpinWithCompetitorsNs : kSpinUndisturbedNs;
    std::uint64_t yielded_ns = wait.start_ns;
    for (std::uint64_t before_ns = wait.start_ns;;) {
      if (done()) return true;
      bool released = false;
      const unsigned absent =
          wait.arrivals.absent_on(Memory::Scheduler::current_cpu(), wait.me, wait.episode);
      if (absent != kNobody) contention_.note_turn();
      // The kernel may have moved an absent teammate to this CPU since it was last seen. Without recorded arrivals it
      // may have been here all the time. A thread that spins for long looks for it with a yield.
      const bool hidden = before_ns - yielded_ns >= look_for_hidden_after_ns();
      const bool may_yield =
          !contention_.competitor_near(before_ns) && !contention_.is_one_cpu() && !real_time;
      if (may_yield && (absent != kNobody || hidden)) {
        // A yield postpones the thread by its slice. If only some teammates have short slices, the others would run
        // once in ten times.
        if (Memory::Scheduler::has_requested_slice()) Memory::Scheduler::give_slice_back();
        Memory::Scheduler::yield();
        wait.stats.yields.add();
        yielded_ns = before_ns;
        if (absent == kNobody) contention_.note_hidden_teammate(done());
      } else if (absent == kNobody) {
        released = poll<Memory>(done);
      } else if (may_sleep_for_a_teammate(wait)) {
        falls_asleep();
        wait.arrivals.give_way_to(absent, wait.me, wait.episode, done, wait.stats);
        woke_up();
      } else {
        return false;
      }
      const std::uint64_t now_ns = Memory::now_ns();
      if (contention_.note_gap(before_ns, now_ns) && absent != kNobody)
        wait.stats.long_yields.add();
      if (released) return true;
      const std::uint64_t spun_ns = now_ns - wait.start_ns;
      if (spun_ns >= (gathering_.apart() ? kSpinApartNs : budget_ns)) return done();
      before_ns = now_ns;
    }
  }

 private:
  static constexpr std::uint64_t kSpinUndisturbedNs = 1'000'000;
  static constexpr std::uint64_t kSpinWithCompetitorsNs = 50'000;
  static constexpr std::uint64_t kSpinApartNs = 10'000'000;
  static constexpr std::uint64_t kHiddenTeammateNs = 5'000;
  static constexpr std::uint64_t kUnlikelyTeammateNs = 20'000;
  static constexpr unsigned kPollsPerClockRead = 16;

  std::uint64_t look_for_hidden_after_ns() const {
    if (!contention_.contended() || gathering_.on_separate_cpus()) return kUnlikelyTeammateNs;
    return contention_.others_run() ? 0 : kHiddenTeammateNs;
  }

  template <class Memory, class Done>
  static bool poll(Done&& done) {
    for (unsigned poll = 0; poll < kPollsPerClockRead; ++poll) {
      if (done()) return true;
      Memory::pause();
    }
    return false;
  }

  // Keeps the CPU busy that the team is gathered on, so that the kernel moves competitors away from it. The first
  // yields afterwards show whether they have left.
  template <class Memory, class Done>
  bool push(Done&& done) {
    while (gathering_.keeps_pushing(Memory::now_ns())) {
      if (poll<Memory>(done)) return true;
    }
    contention_.forget_competitors();
    return done();
  }

  // The threads of a team that fits do not delay each other on their own CPUs. With competitors on those CPUs they take
  // turns all the same: they use the barrier for that case, and full fences (waiting/arrivals.h).
  template <class Memory>
  void agree_on_turns(const Wait<Memory>& wait, bool uncontended) const {
    if (uncontended) {
      wait.arrivals.ask_for_full_fences(false, wait.episode);
    } else if (contention_.contended() && contention_.fits() && wait.arrivals.team() > 2) {
      wait.arrivals.ask_for_full_fences(true, wait.episode);
    }
  }

  template <class Memory>
  static bool may_sleep_for_a_teammate(const Wait<Memory>& wait) {
    wait.arrivals.ask_for_full_fences(true, wait.episode);
    return wait.for_release && wait.arrivals.full_fences(wait.episode);
  }

  RequestedSlice slice_;
  Contention contention_;
  Gathering gathering_;
};

static_assert(WaitingPolicy<AutoWait, NativeMemory>);

}  // namespace muster
