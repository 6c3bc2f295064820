// Who of a team has arrived, on which CPU each was seen last, and who gave its CPU up to whom.
//
// Each thread has a slot. On arrival it writes into it, beside the episode, the CPU it runs on: a
// store to a line of its own. A waiter whose quick polls failed reads the slots of the others: a
// teammate that has not arrived and was last seen on the waiter's own CPU is kept away by the
// waiter's spinning. So the waiter gives the CPU up, by sleeping on that teammate's slot, and the
// teammate wakes it when it leaves the instance. Both most likely run on one CPU, so that is a
// local hand-over: no interrupt to another CPU, and no thread woken that could not run yet.
//
// Sleeping on a slot is allowed only to a thread that nobody waits for any more at this instance
// (its wait is for the release): else two threads could wait for each other. The thread slept for
// has not arrived, so the relation "sleeps for" follows the order of arrival and has no cycle. That
// takes a fence between one's own entry and the look at the other's: two threads that arrive at the
// same time may each take the other for absent at first, and a third would release neither.
//
// Fences. The asymmetric pair of platform/fences.h makes a release cheap and a sleep dear (an
// interrupt to each CPU that runs a teammate). Where threads sleep at nearly every instance that is
// the wrong way round, so the team can change over to full fences on both sides. The change takes
// effect three instances after it was asked for at e, hence sleeper and waker of one instance
// always agree: at least one of e + 1 and e + 2 is a whole barrier, or a release, that nobody leaves
// before the asking thread has gone on from e; and every thread that is at e + 3 has left both.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "platform/cache_line.h"
#include "waiting/episode.h"
#include "waiting/sleep_word.h"
#include "waiting/wait_stats.h"

namespace muster {

inline constexpr unsigned kNobody = ~0U;
inline constexpr unsigned kUnknownCpu = ~0U;  // where current_cpu() cannot tell

template <class Memory>
class Arrivals {
 public:
  // `place` is null for policies that need no arrivals, else bytes(team) bytes aligned to the
  // coherence granule.
  Arrivals(void* place, unsigned team) : team_(place != nullptr ? team : 0) {
    slots_ = static_cast<Slot*>(place);
    for (unsigned i = 0; i < team_; ++i) ::new (static_cast<void*>(slots_ + i)) Slot();
  }
  static constexpr std::size_t bytes(unsigned team) { return team * sizeof(Slot); }

  unsigned team() const { return team_; }

  // Out of line, as leaving is where somebody may sleep: a team that fits and is left alone does
  // neither, and its barrier should not pay for their code.
  [[gnu::noinline]] void arrive(unsigned me, Episode episode) {
    slots_[me].arrival.store(episode << kCpuBits | Memory::current_cpu() % kMaxCpus,
                             std::memory_order_relaxed);
  }

  // Wakes those who gave way to this thread. For every thread that leaves while full_fences(), by
  // whatever way out; else nobody gives way.
  [[gnu::noinline]] void leave(unsigned me, Episode episode, WaitStats& stats) {
    Slot& slot = slots_[me];
    slot.left.store(episode, std::memory_order_release);
    Memory::full_fence();
    slot.gave_way.wake_after_fence(stats);
  }

  // A teammate that has not arrived and was on `cpu` when it did so last; kNobody if there is none.
  // That was at the instance before, or two before where this is a release: others have yet to reach
  // the gather between. Where the arrivals was not kept then, nothing is known.
  unsigned absent_on(unsigned cpu, unsigned me, Episode episode) const {
    if (cpu == kUnknownCpu) return kNobody;  // or all would seem to share one CPU
    for (unsigned step = 1; step < team_; ++step) {
      const unsigned other = me + step < team_ ? me + step : me + step - team_;
      const Episode arrival = slots_[other].arrival.load(std::memory_order_relaxed);
      const Episode behind = episode - (arrival >> kCpuBits);
      if ((behind == 1 || behind == 2) && arrival % kMaxCpus == cpu % kMaxCpus) return other;
    }
    return kNobody;
  }

  // How many have arrived.
  unsigned arrived(Episode episode) const {
    unsigned count = 0;
    for (unsigned i = 0; i < team_; ++i) {
      if (has_entered(i, episode)) ++count;
    }
    return count;
  }

  // Sleeps until the teammate has left the instance or done() holds, unless it is found to have
  // arrived. Only while full_fences(), and only for a thread that nobody waits for.
  template <class Done>
  void give_way_to(unsigned teammate, unsigned me, Episode episode, Done&& done, WaitStats& stats) {
    // Not entered on arrival where the arrivals was not kept at that moment.
    if (!has_entered(me, episode)) arrive(me, episode);
    Slot& slot = slots_[teammate];
    stats.gave_way.add();
    slot.gave_way.sleep_until(
        [&] {
          return has_entered(teammate, episode) ||
                 slot.left.load(std::memory_order_acquire) >= episode || done();
        },
        stats, /*full_fences=*/true);
  }

  // Whether those who sleep and wake at this instance both fence fully.
  bool full_fences(Episode episode) const {
    const Episode change = change_.load(std::memory_order_relaxed);
    if (change == 0) [[likely]]  // nobody has ever asked
      return false;
    return (episode >= change >> 1) == ((change & 1) != 0);
  }

  // Asks for a change from three instances on; ignored while an earlier one is that fresh. For a
  // thread that is at instance `episode`.
  void ask_for_full_fences(bool on, Episode episode) {
    Episode change = change_.load(std::memory_order_relaxed);
    if (((change & 1) != 0) == on || episode < (change >> 1) + 3) return;
    change_.compare_exchange_weak(change, (episode + 3) << 1 | (on ? 1 : 0),
                                  std::memory_order_relaxed, std::memory_order_relaxed);
  }

  // After an instance was called off.
  void wake_everyone(WaitStats& stats) {
    for (unsigned i = 0; i < team_; ++i) slots_[i].gave_way.wake_after_fence(stats);
  }

 private:
  bool has_entered(unsigned thread, Episode episode) const {
    return slots_[thread].arrival.load(std::memory_order_relaxed) >> kCpuBits >= episode;
  }

  static constexpr unsigned kCpuBits = 16;
  static constexpr unsigned kMaxCpus = 1U << kCpuBits;

  struct alignas(kCoherenceGranule) Slot {
    // Episode << 16 | CPU; before the first arrival, a CPU that there is not.
    typename Memory::template Atomic<Episode> arrival{kMaxCpus - 1};
    typename Memory::template Atomic<Episode> left{0};
    SleepWord<Memory> gave_way;
  };

  Slot* slots_;
  unsigned team_;
  // Episode << 1 | on: from that episode on; before it, the opposite.
  typename Memory::template Atomic<Episode> change_{0};
};

}  // namespace muster
