// `dissemination`: ceil(log2 n) rounds of pairwise signals.
//
// Idea     In round k thread i signals thread i + 2^k (mod n) and waits for i - 2^k. After the last round every thread
//          has heard from every other one, directly or indirectly. No thread waits for a designated one.
// Cost     n ceil(log2 n) line transfers; the critical path has ceil(log2 n). For two threads that is one transfer, the
//          minimum of any barrier. Halves: as `tree`.
// Order    A signal is a release, seeing it an acquire. A thread that passes a signal on has acquired those before it,
//          so the order is transitive.
// Source   Hensgen, Finkel & Manber 1988; Mellor-Crummey & Scott 1991, section 3.3. Flags hold episodes instead of
//          parity and sense.
//
// Each thread sleeps on a word of its own, since a signal is for one thread only.
#pragma once

#include <bit>

#include "barriers/layout.h"
#include "barriers/tree.h"
#include "waiting/memory.h"
#include "waiting/sleep_word.h"

namespace muster {

template <Memory Memory, class Waiter>
class Dissemination {
 public:
  Dissemination(unsigned team, const Layout& layout, Arena& arena)
      : team_(team),
        rounds_(rounds(team)),
        flag_(arena, 2 * std::size_t{team} * rounds_, layout),
        sleep_(arena, team, layout),
        halves_(team, layout, arena) {}
  static std::size_t bytes(unsigned team, const Layout& layout) {
    return PaddedArray<Flag>::bytes(2 * std::size_t{team} * rounds(team), layout) +
           PaddedArray<SleepWord<Memory>>::bytes(team, layout) +
           Tree<Memory, Waiter>::bytes(team, layout);
  }

  bool arrive_and_wait(unsigned me, Episode episode, Waiter& waiter) {
    for (unsigned round = 0; round < rounds_; ++round) {
      const unsigned partner = partner_of(me, round);
      flag(partner, round, episode).store(episode, std::memory_order_release);
      waiter.wake(sleep_[partner]);
      Flag& mine = flag(me, round, episode);
      const auto signalled = [&] { return mine.load(std::memory_order_acquire) >= episode; };
      if (!waiter.wait(signalled, sleep_[me])) return false;
    }
    for (unsigned round = 0; round < rounds_; ++round) {
      Memory::will_write(flag(partner_of(me, round), round, episode + 1));
    }
    return true;
  }

  // Half of a dissemination would be a binomial tree that ignores the topology; Tree follows it.
  bool gather(unsigned me, Episode episode, Waiter& waiter) {
    return halves_.gather(me, episode, waiter);
  }
  bool release(unsigned me, Episode episode, Waiter& waiter) {
    return halves_.release(me, episode, waiter);
  }

  bool may_use_announcement(const Waiter& waiter) const {
    return halves_.may_use_announcement(waiter);
  }

  void wake_everyone(WaitStats& stats) {
    for (unsigned i = 0; i < team_; ++i) sleep_[i].wake(stats);
    halves_.wake_everyone(stats);
  }

 private:
  using Flag = typename Memory::template Atomic<Episode>;
  static unsigned rounds(unsigned team) { return static_cast<unsigned>(std::bit_width(team - 1)); }
  unsigned partner_of(unsigned me, unsigned round) const {
    const unsigned partner = me + (1U << round);
    return partner < team_ ? partner : partner - team_;
  }
  Flag& flag(unsigned thread, unsigned round, Episode episode) const {
    return flag_[2 * (std::size_t{thread} * rounds_ + round) + (episode & 1)];
  }

  const unsigned team_;
  const unsigned rounds_;
  PaddedArray<Flag> flag_;
  PaddedArray<SleepWord<Memory>> sleep_;
  Tree<Memory, Waiter> halves_;
};

}  // namespace muster
