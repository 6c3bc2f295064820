// `dissemination`: ceil(log2 n) rounds of pairwise signals.
//
// Idea     In round k thread i signals thread i + 2^k (mod n) and waits for i - 2^k. After the last
//          round everyone has heard, directly or not, of everyone. Nobody waits for a designated
//          thread.
// Cost     n ceil(log2 n) line transfers, of which the slowest path crosses ceil(log2 n). For two
//          threads that is one crossing, the least a barrier can take. Halves: as `tree`.
// Order    A signal is a release, seeing it an acquire; a thread that passes a signal on has
//          acquired those before it, so the order is transitive.
// Source   Hensgen, Finkel & Manber 1988; Mellor-Crummey & Scott 1991, section 3.3. Flags hold
//          episodes in place of parity and sense.
//
// Each thread sleeps on a word of its own here: a signal is for one thread only.
//
// A thread that waits in a round is not on its way to the next, and whoever it keeps waiting has to be
// scheduled again. So while the team takes turns on its CPUs (Waiter::takes_turns), its instances are
// left to a central counter, at which each thread waits once: on simulated machines with 1.5 to 4
// threads a processor that passes up to 3.6 times as many barriers (docs/results/scaling.md).
#pragma once

#include <bit>

#include "barriers/fetch_add.h"
#include "barriers/layout.h"
#include "barriers/memory.h"
#include "barriers/tree.h"
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
        halves_(team, layout, arena),
        counter_(team, layout, arena) {}
  static std::size_t bytes(unsigned team, const Layout& layout) {
    return PaddedArray<Flag>::bytes(2 * std::size_t{team} * rounds(team), layout) +
           PaddedArray<SleepWord<Memory>>::bytes(team, layout) +
           Tree<Memory, Waiter>::bytes(team, layout);
  }

  bool arrive_and_wait(unsigned me, Episode episode, Waiter& waiter) {
    if (waiter.takes_turns()) [[unlikely]]
      return counter_.arrive_and_wait(me, episode, waiter);
    if (me == kPrimary && waiter.may_take_turns()) counter_.pass_by(episode);
    for (unsigned round = 0; round < rounds_; ++round) {
      const unsigned partner = partner_of(me, round);
      flag(partner, round, episode).store(episode, std::memory_order_release);
      waiter.wake(sleep_[partner]);
      Flag& mine = flag(me, round, episode);
      const auto signalled = [&] { return mine.load(std::memory_order_acquire) >= episode; };
      const bool is_last = round + 1 == rounds_;  // nobody waits for this thread any more
      if (!(is_last ? waiter.wait_for_release(signalled, sleep_[me])
                    : waiter.wait(signalled, sleep_[me])))
        return false;
    }
    for (unsigned round = 0; round < rounds_; ++round) {
      Memory::will_write(flag(partner_of(me, round), round, episode + 1));
    }
    return true;
  }

  // Half of it would be a binomial tree, which does not know what is near to what; the other one does.
  bool gather(unsigned me, Episode episode, Waiter& waiter) {
    if (waiter.takes_turns()) [[unlikely]]
      return counter_.gather(me, episode, waiter);
    if (me == kPrimary && waiter.may_take_turns()) counter_.pass_by(episode);
    return halves_.gather(me, episode, waiter);
  }
  bool release(unsigned me, Episode episode, Waiter& waiter) {
    if (waiter.takes_turns()) [[unlikely]]
      return counter_.release(me, episode, waiter);
    // Who was told of it elsewhere may have come to the next instance.
    if (me == kPrimary && waiter.may_take_turns()) counter_.pass_by_beside_others();
    return halves_.release(me, episode, waiter);
  }

  // Not past the counter, which has to be exact when the primary comes to it.
  bool may_be_told(const Waiter& waiter) const {
    return !waiter.takes_turns() && halves_.may_be_told(waiter);
  }

  void wake_everyone(WaitStats& stats) {
    for (unsigned i = 0; i < team_; ++i) sleep_[i].wake(stats);
    halves_.wake_everyone(stats);
    counter_.wake_everyone(stats);
  }

 private:
  static constexpr unsigned kPrimary = 0;
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
  FetchAddBarrier<Memory, Waiter, CountByInstruction> counter_;
};

}  // namespace muster
