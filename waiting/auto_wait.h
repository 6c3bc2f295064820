// `auto`, the default: no spin time is right everywhere, so each wait looks at who is kept waiting
// by it.
//
// Whether to spin. Spinning is harmless as long as the CPU is of no use to the team otherwise. A
// waiter looks in the arrivals for a teammate that has not arrived and was last seen on the waiter's
// own CPU. If there is one, spinning only keeps it away: give the CPU up at once. If there is none,
// spin on, for a limited time, and then block on the team's word.
//
// How to give the CPU up. sched_yield is the cheapest hand-over as long as only teammates want the
// CPU: they come back within microseconds. Beside a stranger it is the worst: the kernel charges
// the yielder a whole slice for it, so the stranger runs for milliseconds. Sleeping for the
// teammate (waiting/arrivals.h) costs two system calls more and loses nothing. Whether a stranger is
// near shows in time that is missing: a yield that took as long as a slice, a gap between two
// clock reads while spinning, a sleep for a teammate that outlasted one. While nothing of the kind
// has been seen for some time, yield; and spin longer, since nobody else wants the CPU.
//
// docs/understand/waiting.md explains it; what else was tried is in docs/results/notes/waiting.md.
#pragma once

#include <cstdint>

#include "platform/native_memory.h"
#include "waiting/contention.h"
#include "waiting/gathering.h"
#include "waiting/requested_slice.h"
#include "waiting/waiting_policy.h"

namespace muster {

class AutoWait {
 public:
  explicit AutoWait(const WaitParameters& parameters)
      : slice_(parameters), contention_(parameters), gathering_(parameters) {}

  static constexpr bool kUsesArrivals = true;
  // A team that fits and is left alone has nobody in anybody's way and does not pay for knowing.
  bool records_arrivals() const { return contention_.contended(); }
  bool quick_polls() const { return !contention_.takes_turns(); }
  static bool spins_first() { return true; }
  void falls_asleep() { contention_.falls_asleep(); }
  void woke_up() { contention_.woke_up(); }

  template <class Memory, class Done>
  bool spin(const Wait<Memory>& wait, Done&& done) {
    agree_on_turns(wait, contention_.template look<Memory>(wait.start_ns, wait.episode));
    slice_.adapt(wait, contention_);
    gathering_.follow(wait, [&] { return contention_.situation(wait.start_ns); });
    if (gathering_.pushes(wait.start_ns) && push<Memory>(done)) return true;
    // Yields would be in vain: the teammate may be one of a lower priority.
    const bool real_time = Memory::runs_in_real_time(wait.start_ns);
    if (real_time && contention_.is_one_cpu()) return done();
    const bool spins_briefly = real_time || contention_.competitor_near(wait.start_ns);
    const std::uint64_t budget_ns = spins_briefly ? kSpinWithCompetitorsNs : kSpinUndisturbedNs;
    std::uint64_t yielded_ns = wait.start_ns;
    for (std::uint64_t before_ns = wait.start_ns;;) {
      if (done()) return true;
      bool released = false;
      const unsigned absent = wait.arrivals.absent_on(Memory::current_cpu(), wait.me, wait.episode);
      if (absent != kNobody) contention_.note_turn();
      // The kernel may have moved an absent teammate to this CPU since it was last seen, and where
      // no arrivals is kept it may have been here before. Who spins for long looks for it by a yield.
      const bool hidden = before_ns - yielded_ns >= look_for_hidden_after_ns();
      const bool may_yield =
          !contention_.competitor_near(before_ns) && !contention_.is_one_cpu() && !real_time;
      if (may_yield && (absent != kNobody || hidden)) {
        // A yield puts the thread off by its slice. Among teammates of which some have short ones,
        // the others would get one turn in ten.
        if (Memory::has_requested_slice()) Memory::give_slice_back();
        Memory::yield();
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

  // Burns the CPU that the team is gathered on, so that the kernel moves strangers away from it.
  // Whether they have gone, the first yields afterwards tell.
  template <class Memory, class Done>
  bool push(Done&& done) {
    while (gathering_.goes_on_pushing(Memory::now_ns())) {
      if (poll<Memory>(done)) return true;
    }
    contention_.forget_competitors();
    return done();
  }

  // A team that fits is in nobody's way on its own CPUs. While strangers run there it takes turns all the
  // same: by the barrier that suits those, and with full fences (waiting/arrivals.h).
  template <class Memory>
  void agree_on_turns(const Wait<Memory>& wait, bool left_alone) const {
    if (left_alone) {
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
