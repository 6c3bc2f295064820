// `fetch-add`, `fetch-add-xadd`: the central counter.
//
// Idea     Each thread adds itself with an atomic fetch-and-add and then reads the counter until all have arrived.
// Cost     n atomic updates of one line in sequence, after each of which the readers fetch it again: up to n(n-1) line
//          transfers. Good below about eight threads (the paper, section 3.1).
// Order    Arrival is a release, seeing the full count an acquire: what any thread stored before the barrier is visible
//          to all threads after it.
// Source   Zhang et al., section 3.1 and Figure 3. The counter only increases instead of being set back to n: instance
//          e is complete at e x n.
//
// `fetch-add` updates by the paper's own loop of lwarx and stwcx., or its equivalent on this machine, and counts the
// failures (Figure 9). `fetch-add-xadd` uses the machine's single instruction, which cannot fail. Both are in
// barriers/counted_add.h.
//
// At a gather the primary sleeps on a word of its own. Teammates that have arrived may sleep already, waiting for the
// release: the last to arrive would wake them for nothing, and the release would find no sleeper.
#pragma once

#include "barriers/counted_add.h"
#include "barriers/layout.h"
#include "waiting/memory.h"
#include "waiting/sleep_word.h"

namespace muster {

template <Memory Memory, class Waiter, template <class> class Count>
class FetchAddBarrier {
 public:
  FetchAddBarrier(unsigned team, const Layout&, Arena&) : team_(team) {}
  static std::size_t bytes(unsigned, const Layout&) { return 0; }

  bool arrive_and_wait(unsigned, Episode episode, Waiter& waiter) {
    if (!add_is_last(1, episode, waiter)) return wait_for_all(episode, waiter, sleep_);
    waiter.wake(sleep_);
    return true;
  }

  bool gather(unsigned me, Episode episode, Waiter& waiter) {
    const bool last = add_is_last(1, episode, waiter);
    if (me == kPrimary) return last || wait_for_all(episode, waiter, primary_sleep_);
    if (last) waiter.wake(primary_sleep_);
    return true;
  }

  // The primary adds all threads at once; at such an instance no other thread adds itself.
  bool release(unsigned me, Episode episode, Waiter& waiter) {
    if (me != kPrimary) return wait_for_all(episode, waiter, sleep_);
    add_is_last(team_, episode, waiter);
    waiter.wake(sleep_);
    return true;
  }

  // For a combination that uses this counter at some instances only (barriers/while_contended.h). At such an instance
  // thread 0 first adds the whole team for each instance that was not counted. The counter tells which: until thread 0
  // arrives, less than a team has added itself since the last instance that was counted.
  void catch_up(Episode episode) {
    const Episode counted = counter_.load(std::memory_order_relaxed) / team_;
    if (counted + 1 < episode)
      counter_.fetch_add((episode - 1 - counted) * team_, std::memory_order_relaxed);
  }

  void wake_everyone(WaitStats& stats) {
    sleep_.wake(stats);
    primary_sleep_.wake(stats);
  }

 private:
  static constexpr unsigned kPrimary = 0;

  // Whether this completed the instance.
  bool add_is_last(unsigned threads, Episode episode, Waiter& waiter) {
    return Count<Memory>::add(counter_, threads, waiter.failed_updates()) == episode * team_;
  }

  bool wait_for_all(Episode episode, Waiter& waiter, SleepWord<Memory>& word) {
    const Episode complete = episode * team_;
    return waiter.wait([&] { return counter_.load(std::memory_order_acquire) >= complete; }, word);
  }

  const unsigned team_;
  alignas(kCoherenceGranule) typename Memory::template Atomic<Episode> counter_{0};
  SleepWord<Memory> sleep_;
  SleepWord<Memory> primary_sleep_;
};

template <class Memory, class Waiter>
using FetchAdd = FetchAddBarrier<Memory, Waiter, CountByLoop>;
template <class Memory, class Waiter>
using FetchAddXadd = FetchAddBarrier<Memory, Waiter, CountByInstruction>;

}  // namespace muster
