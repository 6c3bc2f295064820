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
// `fetch-add` updates by a compare-and-swap loop (an LL/SC loop where the machine has one), as the
// paper's lwarx/stwcx. does, and counts its failures (Figure 9); `fetch-add-xadd` by the machine's
// one-instruction form, which cannot fail.
#pragma once

#include "barriers/layout.h"
#include "barriers/memory.h"
#include "waiting/sleep_word.h"

namespace muster {

template <class Memory>
struct CountByLoop {
  template <class Counter>
  static Episode add_one(Counter& counter, Tally& failures) {
    Episode seen = counter.load(std::memory_order_relaxed);
    while (!counter.compare_exchange_weak(seen, seen + 1, std::memory_order_acq_rel,
                                          std::memory_order_relaxed)) {
      failures.add();
    }
    return seen + 1;
  }
};

template <class Memory>
struct CountByInstruction {
  template <class Counter>
  static Episode add_one(Counter& counter, Tally&) {
    return counter.fetch_add(1, std::memory_order_acq_rel) + 1;
  }
};

template <Memory Memory, class Waiter, template <class> class Count>
class FetchAddBarrier {
 public:
  FetchAddBarrier(unsigned team, const Layout&, Arena&) : team_(team) {}
  static std::size_t bytes(unsigned, const Layout&) { return 0; }

  bool arrive_and_wait(unsigned, Episode episode, Waiter& waiter) {
    const Episode complete = episode * team_;
    if (Count<Memory>::add_one(counter_, waiter.failed_updates()) == complete) {
      waiter.wake(sleep_);
      return true;
    }
    return waiter.wait_for_release(
        [&] { return counter_.load(std::memory_order_acquire) >= complete; }, sleep_);
  }

  void wake_everyone(WaitStats& stats) { sleep_.wake(stats); }

 private:
  const unsigned team_;
  alignas(kCoherenceGranule) typename Memory::template Atomic<Episode> counter_{0};
  SleepWord<Memory> sleep_;
};

template <class Memory, class Waiter>
using FetchAdd = FetchAddBarrier<Memory, Waiter, CountByLoop>;
template <class Memory, class Waiter>
using FetchAddXadd = FetchAddBarrier<Memory, Waiter, CountByInstruction>;

}  // namespace muster
