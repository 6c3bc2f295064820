// `dissemination-or-counter`: two algorithms, of which the second is used while the team is contended.
//
// Idea     An algorithm in which threads pass signals on needs several threads to be scheduled one after another. With
//          a CPU for each thread that costs nothing. With fewer, every thread that is not running delays all that wait
//          for its signal: a thread that waits in one round of `dissemination` has not signalled in the next. At a
//          central counter each thread waits once, and the last to arrive releases all. So the whole team changes to
//          the counter while it has too few CPUs or shares them, and back afterwards. On simulated machines with 1.5 to
//          4 threads per processor this passes up to 3.6 times as many barriers (docs/results/scaling.md).
// Cost     That of the algorithm in use. The first instance after a change to the counter has one atomic update more.
// Order    That of the algorithm in use. All threads of an instance use the same one: "contended" is a bit that they
//          agree on (waiting/agreed_bits.h).
// Source   Lim & Agarwal 1994, "Reactive Synchronization Algorithms for Multiprocessors". They change under a consensus
//          object that each operation reads; here an instance number takes its place.
//
// Either algorithm has to remain correct when instances are left out. The usual one must hold the episodes of its
// signals, as `dissemination` and `tree` do: a signal of any later instance ends a wait. One that counts arrivals can
// only be the contended one, and only with catch_up(), which thread 0 calls before it arrives (barriers/fetch_add.h).
// That is early enough, in whatever order the threads arrive:
// - A whole barrier, or a gather, is not complete before thread 0 has arrived. Until then the count is too low, so no
//   thread leaves a barrier early or takes itself for the last one. At a gather the others do not wait, but the release
//   that follows adds none of them.
// - At a release only thread 0 adds. The others cannot be ahead, since they may not use the announcement there.
// - At a release of the usual algorithm they can: they add themselves to the counter for the next instance while thread
//   0 is still here. It catches up when it arrives there, by an atomic update, which keeps their counts.
// An instance that is called off is counted too: every thread adds itself before it waits, and all meet at the
// runtime's barrier before thread 0 reaches the next instance.
#pragma once

#include "barriers/dissemination.h"
#include "barriers/fetch_add.h"
#include "barriers/layout.h"
#include "waiting/memory.h"

namespace muster {

template <Memory Memory, class Waiter, template <class, class> class Usual,
          template <class, class> class Contended>
class WhileContended {
 public:
  WhileContended(unsigned team, const Layout& layout, Arena& arena)
      : usual_(team, layout, arena), contended_(team, layout, arena) {}
  static std::size_t bytes(unsigned team, const Layout& layout) {
    return Usual<Memory, Waiter>::bytes(team, layout) +
           Contended<Memory, Waiter>::bytes(team, layout);
  }

  bool arrive_and_wait(unsigned me, Episode episode, Waiter& waiter) {
    if (waiter.contended()) [[unlikely]]
      return contended(me, episode).arrive_and_wait(me, episode, waiter);
    return usual_.arrive_and_wait(me, episode, waiter);
  }

  bool gather(unsigned me, Episode episode, Waiter& waiter) {
    if (waiter.contended()) [[unlikely]]
      return contended(me, episode).gather(me, episode, waiter);
    return usual_.gather(me, episode, waiter);
  }
  bool release(unsigned me, Episode episode, Waiter& waiter) {
    if (waiter.contended()) [[unlikely]]
      return contended(me, episode).release(me, episode, waiter);
    return usual_.release(me, episode, waiter);
  }

  bool may_use_announcement(const Waiter& waiter) const {
    return !waiter.contended() && usual_.may_use_announcement(waiter);
  }

  void wake_everyone(WaitStats& stats) {
    usual_.wake_everyone(stats);
    contended_.wake_everyone(stats);
  }

 private:
  static constexpr unsigned kPrimary = 0;

  Contended<Memory, Waiter>& contended(unsigned me, Episode episode) {
    if constexpr (requires { contended_.catch_up(episode); }) {
      if (me == kPrimary) contended_.catch_up(episode);
    }
    return contended_;
  }

  Usual<Memory, Waiter> usual_;
  Contended<Memory, Waiter> contended_;
};

template <class Memory, class Waiter>
using DisseminationOrCounter = WhileContended<Memory, Waiter, Dissemination, FetchAddXadd>;

}  // namespace muster
