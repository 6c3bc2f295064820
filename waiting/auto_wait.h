// `auto`, the default: no spin time is right everywhere, so each wait looks at who is kept waiting
// by it.
//
// Whether to spin. Spinning is harmless as long as the CPU is of no use to the team otherwise. A
// waiter looks in the roster for a teammate that has not arrived and was last seen on the waiter's
// own CPU. If there is one, spinning only keeps it away: give the CPU up at once. If there is none,
// spin on, for a limited time, and then block on the team's word.
//
// How to give the CPU up. sched_yield is the cheapest hand-over as long as only teammates want the
// CPU: they come back within microseconds. Beside a stranger it is the worst: the kernel charges
// the yielder a whole slice for it, so the stranger runs for milliseconds. Sleeping for the
// teammate (waiting/roster.h) costs two system calls more and loses nothing. Whether a stranger is
// near shows in time that is missing: a yield that took as long as a slice, a gap between two
// clock reads while spinning, a sleep for a teammate that outlasted one. While nothing of the kind
// has been seen for some time, yield; and spin longer, since nobody else wants the CPU.
//
// The signals and limits, and what else was tried, are in docs/waiting.md.
#pragma once

#include <atomic>
#include <cstdint>

#include "platform/native_memory.h"
#include "waiting/gathering.h"
#include "waiting/load_sensor.h"
#include "waiting/strangers.h"
#include "waiting/waiting_policy.h"

namespace muster {

class AutoWait {
 public:
  explicit AutoWait(const WaitParameters& parameters)
      : team_size_(parameters.team_size),
        bound_cpus_(parameters.bound_cpus),
        slice_ns_(parameters.slice_ns),
        sensor_(parameters.load_sensor),
        gathering_(parameters) {}

  static constexpr bool kUsesRoster = true;
  // A team that fits and is left alone has nobody in anybody's way and does not pay for knowing.
  bool keeps_roster() const { return contended_.load(std::memory_order_relaxed); }
  bool quick_polls() const { return !takes_turns_.load(std::memory_order_relaxed); }
  static bool spins_first() { return true; }

  template <class Memory, class Done>
  bool spin(const Wait<Memory>& wait, Done&& done) {
    if (wait.start_ns >= look_again_ns_.load(std::memory_order_relaxed)) look_at_cpus(wait);
    adapt_slice(wait);
    gathering_.follow(wait, [&] { return situation(wait.start_ns); });
    if (gathering_.pushes(wait.start_ns) && push<Memory>(done)) return true;
    const std::uint64_t budget_ns =
        strangers_.near(wait.start_ns) ? kSpinBesideStrangersNs : kSpinUndisturbedNs;
    std::uint64_t yielded_ns = wait.start_ns;
    for (std::uint64_t before_ns = wait.start_ns;;) {
      if (done()) return true;
      const unsigned absent = wait.roster.absent_on(Memory::current_cpu(), wait.me, wait.episode);
      note_turns(absent != kNobody);
      const bool hidden = may_hide_a_teammate() && before_ns - yielded_ns >= kHiddenTeammateNs;
      if (absent == kNobody && !hidden) {
        if (poll<Memory>(done)) return true;
      } else if (!strangers_.near(before_ns)) {
        Memory::yield();
        wait.stats.yields.add();
        yielded_ns = before_ns;
      } else if (absent == kNobody) {
        if (poll<Memory>(done)) return true;
      } else if (may_sleep_for_a_teammate(wait)) {
        wait.roster.give_way_to(absent, wait.episode, done, wait.stats);
      } else {
        return false;
      }
      const std::uint64_t now_ns = Memory::now_ns();
      if (now_ns - before_ns >= kStrangersSliceNs && !was_throttled(now_ns)) {
        if (absent != kNobody) wait.stats.long_yields.add();
        strangers_.see(now_ns);
        contended_.store(true, std::memory_order_relaxed);
      }
      if (now_ns - wait.start_ns >= budget_ns) return done();
      before_ns = now_ns;
    }
  }

 private:
  static constexpr std::uint64_t kLookEveryNs = 10'000'000;
  static constexpr std::uint64_t kStrangersSliceNs = 500'000;  // teammates come back in 1-100 us
  static constexpr std::uint64_t kSpinUndisturbedNs = 1'000'000;
  static constexpr std::uint64_t kHiddenTeammateNs = 5'000;
  static constexpr std::uint64_t kSpinBesideStrangersNs = 50'000;
  static constexpr std::uint64_t kContendedNs = 100'000'000;
  static constexpr std::uint64_t kKeepSliceNs = 200'000'000;
  static constexpr unsigned kPollsPerClockRead = 16;

  void note_turns(bool somebody_absent_here) {
    const bool turns = somebody_absent_here || !fits_.load(std::memory_order_relaxed);
    if (takes_turns_.load(std::memory_order_relaxed) != turns) {
      takes_turns_.store(turns, std::memory_order_relaxed);
    }
  }

  // The kernel may have moved an absent teammate to this CPU since it was last seen. Who spins for
  // long looks for it by a yield now and then.
  bool may_hide_a_teammate() const { return contended_.load(std::memory_order_relaxed); }

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
    while (gathering_.pushes(Memory::now_ns())) {
      if (poll<Memory>(done)) return true;
    }
    strangers_.forget();
    return done();
  }

  // Short turns beside strangers, the kernel's again when they have been gone for a while.
  template <class Memory>
  void adapt_slice(const Wait<Memory>& wait) const {
    if (slice_ns_ == 0) return;
    if (strangers_.near(wait.start_ns)) {
      if (!Memory::has_own_slice() && Memory::ask_for_slice(slice_ns_)) {
        wait.stats.short_slices.add();
      }
    } else if (Memory::has_own_slice() && wait.start_ns > strangers_.seen_ns() + kKeepSliceNs) {
      Memory::give_slice_back();
    }
  }

  template <class Memory>
  static bool may_sleep_for_a_teammate(const Wait<Memory>& wait) {
    wait.roster.ask_for_full_fences(true, wait.episode);
    return wait.for_release && wait.roster.full_fences(wait.episode);
  }

  // Whether the quota, not a stranger, took the time that is missing.
  bool was_throttled(std::uint64_t now_ns) {
    if (sensor_ == nullptr || !has_quota_.load(std::memory_order_relaxed)) return false;
    sensor_->look(now_ns);
    const std::uint64_t periods = sensor_->last().throttled_periods;
    return throttled_periods_.exchange(periods, std::memory_order_relaxed) != periods;
  }

  Situation situation(std::uint64_t now_ns) const {
    Situation out;
    out.fits = fits_.load(std::memory_order_relaxed);
    out.stranger_near = strangers_.near(now_ns);
    out.takes_turns = takes_turns_.load(std::memory_order_relaxed);
    if (sensor_ == nullptr) return out;
    sensor_->look(now_ns);
    const LoadSnapshot load = sensor_->last();
    out.cpus = load.allowed_cpus;
    out.one_cpu_quota = load.allowed_cpus > 1 && load.usable_millicpus() <= 1000;
    if (load.has(LoadSource::kRunnable)) out.others_runnable = load.runnable - 1;
    return out;
  }

  // What the team may use, every 10 ms of waiting, so that a narrowed affinity is noticed.
  template <class Memory>
  void look_at_cpus(const Wait<Memory>& wait) {
    look_again_ns_.store(wait.start_ns + kLookEveryNs, std::memory_order_relaxed);
    const bool fits = team_size_ <= (bound_cpus_ != 0 ? bound_cpus_ : Memory::allowed_cpus());
    fits_.store(fits, std::memory_order_relaxed);
    if (sensor_ != nullptr) {
      sensor_->look(wait.start_ns);
      has_quota_.store(sensor_->last().quota_millicpus != 0, std::memory_order_relaxed);
    }
    const bool contended = !fits || wait.start_ns < strangers_.seen_ns() + kContendedNs;
    contended_.store(contended, std::memory_order_relaxed);
    if (!contended) {
      takes_turns_.store(false, std::memory_order_relaxed);
      wait.roster.ask_for_full_fences(false, wait.episode);
    }
  }

  const unsigned team_size_;
  const unsigned bound_cpus_;
  const std::uint64_t slice_ns_;
  LoadSensor* const sensor_;
  std::atomic<bool> fits_{true};
  std::atomic<bool> contended_{false};    // does not fit, or strangers were there lately
  std::atomic<bool> takes_turns_{false};  // somebody waits for a teammate on its own CPU
  std::atomic<std::uint64_t> look_again_ns_{0};
  std::atomic<bool> has_quota_{false};
  std::atomic<std::uint64_t> throttled_periods_{0};
  Strangers strangers_;
  Gathering gathering_;
};

static_assert(WaitingPolicy<AutoWait, NativeMemory>);

}  // namespace muster
