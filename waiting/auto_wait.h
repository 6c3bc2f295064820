// `auto`, the default: each wait asks which thread it would delay. Pure functions decide what a thread does next
// (decide.h) and where the team's threads run (place.h). contention.h observes what they need, placement.h moves threads,
// tuning.h has the thresholds. See docs/understand/waiting.md, and docs/results/notes/waiting.md for what lost.
#pragma once

#include <cstdint>

#include "platform/native_memory.h"
#include "waiting/contention.h"
#include "waiting/decide.h"
#include "waiting/placement.h"
#include "waiting/requested_slice.h"
#include "waiting/scheduler.h"
#include "waiting/spin_budget.h"
#include "waiting/team_turns.h"
#include "waiting/waiting_policy.h"

namespace muster {

class AutoWait {
 public:
  explicit AutoWait(const WaitParameters& parameters)
      : turns_(parameters),
        slice_(parameters),
        contention_(parameters),
        spin_times_(parameters.settings.passive),
        placement_(parameters) {}

  static constexpr bool kUsesArrivals = true;
  bool records_arrivals() const { return contention_.records_arrivals(); }
  bool quick_polls() const { return !contention_.takes_turns(); }
  static bool spins_first() { return true; }
  template <class Memory>
    requires HasScheduler<Memory>
  void arrives(unsigned me, Episode episode, WaitStats& stats) {
    if (turns_.in_force()) [[unlikely]]
      turns_.arrive<Memory>(me, episode, contention_, stats);
  }
  LoadSensor* load_sensor() const { return contention_.load_sensor(); }

  template <class Memory, class Done>
    requires HasScheduler<Memory>
  bool spin(const Wait<Memory>& wait, Done&& done) {
    using Scheduler = typename Memory::Scheduler;
    if (wait.between_regions && spin_times_.regions_are_rare()) return done();
    agree_on_bits(wait, contention_.look(wait));
    slice_.adapt(wait, contention_);
    if (!turns_.in_force())  // otherwise they place the threads
      placement_.follow(wait, [&] { return contention_.observe_place(wait.start_ns); });
    Observation now;
    now.dear_yield = contention_.is_one_cpu() && !Scheduler::has_requested_slice();
    now.real_time = Scheduler::runs_in_real_time(wait.start_ns);
    now.competitor = expects_competitor(wait.start_ns);
    turns_.look(wait.start_ns, contention_);
    const bool delays_others = spin_delays_others(now);
    const std::uint64_t spin_ns = spin_times_.ns(delays_others, wait.between_regions);
    const auto end = [&](bool released) {
      return spin_times_.note_spin(released, delays_others, wait.between_regions);
    };
    std::uint64_t yielded_ns = wait.start_ns;
    for (std::uint64_t before_ns = wait.start_ns;;) {
      if (done()) return end(true);
      const unsigned teammate =
          wait.arrivals.absent_on(Scheduler::current_cpu(), wait.me, wait.episode);
      if (teammate != kNobody) contention_.note_turn();
      now.absent = teammate != kNobody                          ? Absent::kHere
                   : before_ns - yielded_ns >= yield_every_ns() ? Absent::kPerhapsHere
                                                                : Absent::kElsewhere;
      now.competitor = expects_competitor(before_ns);
      const Step step = decide(now);
      bool is_done = false;
      switch (step) {
        case Step::kPoll:
          is_done = poll<Memory>(done);
          break;
        case Step::kYield:
          yield<Memory>(wait);
          yielded_ns = before_ns;
          break;
        case Step::kBlock:
          if (teammate != kNobody) wait.arrivals.agreed().request(kFullFences, true, wait.episode);
          return now.time_is_up ? end(done()) : done();
      }
      const std::uint64_t now_ns = Memory::now_ns();
      if (step == Step::kYield && teammate == kNobody) contention_.note_yield(before_ns, now_ns);
      if (contention_.note_gap(before_ns, now_ns) && step == Step::kYield)
        wait.stats.long_yields.add();
      if (is_done) return end(true);
      now.time_is_up =
          now_ns - wait.start_ns >= spin_ns || turns_.is_others_turn<Memory>(wait.me, now_ns);
      before_ns = now_ns;
    }
  }

  void note_gap(std::uint64_t ns) { spin_times_.note_gap(ns); }

 private:
  bool expects_competitor(std::uint64_t now_ns) const {
    return contention_.expects_competitor(now_ns, placement_.left_to_kernel());
  }

  // Without recorded arrivals an absent teammate may be here; the kernel may also have moved one here since.
  std::uint64_t yield_every_ns() const {
    const bool may_meet = contention_.contended() && !placement_.on_own_cpus();
    return may_meet ? tuning::kYieldEveryContendedNs : tuning::kYieldEveryNs;
  }

  template <class Memory, class Done>
  static bool poll(Done&& done) {
    for (unsigned poll = 0; poll < tuning::kPollsPerClockRead; ++poll) {
      if (done()) return true;
      Memory::pause();
    }
    return false;
  }

  // A yield postpones the thread by its slice. If only some teammates had short slices, the others would run once in
  // ten times. On the team's only CPU none yields without one.
  template <class Memory>
  void yield(const Wait<Memory>& wait) {
    using Scheduler = typename Memory::Scheduler;
    if (!contention_.is_one_cpu() && Scheduler::has_requested_slice()) Scheduler::give_slice_back();
    Scheduler::yield();
    wait.stats.yields.add();
  }

  // The algorithm of a contended team (barriers/while_contended.h). If competitors are the reason, or a thread sleeps for a
  // teammate on its CPU, they sleep at nearly every instance: full fences. A second request has to wait for the first.
  template <class Memory>
  void agree_on_bits(const Wait<Memory>& wait, bool uncontended) const {
    if (uncontended) {
      wait.arrivals.agreed().request(kContended | kFullFences, false, wait.episode);
    } else if (contention_.contended() && wait.arrivals.team() > 2) {
      const bool sleeps = contention_.fits() || expects_competitor(wait.start_ns);
      const unsigned bits = sleeps ? kContended | kFullFences : kContended;
      wait.arrivals.agreed().request(bits, true, wait.episode);
    }
  }

  TeamTurns turns_;
  RequestedSlice slice_;
  Contention contention_;
  SpinTimes spin_times_;
  Placement placement_;
};

static_assert(WaitingPolicy<AutoWait, NativeMemory>);

}  // namespace muster
