// `fetch-add`, `fetch-add-xadd`: the central counter.
//
// Idea     Each thread counts itself in with an atomic fetch-and-add and then reads the counter
//          until everyone is in.
// Cost     n atomic updates of one line one after another, each followed by the readers fetching it
//          again: up to n(n-1) line transfers. Good below about eight threads (the paper, section
//          3.1).
// Order    Arrival is a release, seeing the full count an acquire: what was stored before the
//          barrier by any thread is seen by all after it.
// Source   Zhang et al., section 3.1 and Figure 3. The counter goes up for ever instead of being
//          set back to n: instance e is complete at e x n.
//
// `fetch-add` updates by the paper's own loop of lwarx and stwcx., or what the machine has in its
// place, and counts the failures (Figure 9); `fetch-add-xadd` by the machine's one-instruction form,
// which cannot fail. barriers/counted_add.h has the two.
#pragma once

#include "barriers/counted_add.h"
#include "barriers/layout.h"
#include "barriers/memory.h"
#include "waiting/sleep_word.h"

namespace muster {

template <Memory Memory, class Waiter, template <class> class Count>
class FetchAddBarrier {
 public:
  FetchAddBarrier(unsigned team, const Layout&, Arena&) : team_(team) {}
  static std::size_t bytes(unsigned, const Layout&) { return 0; }

  bool arrive_and_wait(unsigned, Episode episode, Waiter& waiter) {
    return add_is_last(1, episode, waiter) || wait_for_all(episode, waiter);
  }

  bool gather(unsigned me, Episode episode, Waiter& waiter) {
    const bool last = add_is_last(1, episode, waiter);
    return last || me != kPrimary || wait_for_all(episode, waiter);
  }

  // The primary counts everybody in, which nobody else does at such an instance.
  bool release(unsigned me, Episode episode, Waiter& waiter) {
    if (me == kPrimary) return add_is_last(team_, episode, waiter);
    return wait_for_all(episode, waiter);
  }

  // For an algorithm that leaves some instances to this counter. At all others thread 0, which then
  // alone writes to it, counts everybody in: where it is the last instance that anybody has come to...
  void pass_by(Episode episode) { counter_.store(episode * team_, std::memory_order_relaxed); }
  // ... and where others may have gone on to the next one.
  void pass_by_beside_others() { counter_.fetch_add(team_, std::memory_order_relaxed); }

  void wake_everyone(WaitStats& stats) { sleep_.wake(stats); }

 private:
  static constexpr unsigned kPrimary = 0;

  // Whether that made the instance complete; then nobody sleeps on.
  bool add_is_last(unsigned threads, Episode episode, Waiter& waiter) {
    const Episode count = Count<Memory>::add(counter_, threads, waiter.failed_updates());
    if (count != episode * team_) return false;
    waiter.wake(sleep_);
    return true;
  }

  bool wait_for_all(Episode episode, Waiter& waiter) {
    const Episode complete = episode * team_;
    return waiter.wait_for_release(
        [&] { return counter_.load(std::memory_order_acquire) >= complete; }, sleep_);
  }

  const unsigned team_;
  alignas(kCoherenceGranule) typename Memory::template Atomic<Episode> counter_{0};
  SleepWord<Memory> sleep_;
};

template <class Memory, class Waiter>
using FetchAdd = FetchAddBarrier<Memory, Waiter, CountByLoop>;
template <class Memory, class Waiter>
using FetchAddXadd = FetchAddBarrier<Memory, Waiter, CountByInstruction>;

}  // namespace muster
