// `dist-counter`, `dist-counter-padded`: the distributed counter.
//
// Idea     Each thread marks its arrival in an element of its own, so no atomic update is needed. Every thread reads
//          all elements until all have arrived.
// Cost     n stores, n(n-1) reads. Unpadded, the elements are adjacent bytes: few lines, each written by many threads.
//          Padded, one element per granule: more lines to fetch, none of them contended, which is faster (the paper,
//          Figure 10).
// Order    The store of one's element is a release, reading the others' an acquire.
// Source   Zhang et al., section 3.2 and Figure 4; padded: section 3.3 and Figure 5. Episode numbers replace the second
//          counter set with which the paper alternates. One byte of the episode is enough: a thread is at most one
//          instance ahead of another, and behind it by the halves that it has not marked.
#pragma once

#include <cstdint>

#include "barriers/layout.h"
#include "waiting/memory.h"
#include "waiting/sleep_word.h"

namespace muster {

// Adjacent elements.
template <class Memory>
class PackedCells {
 public:
  using Cell = typename Memory::template Atomic<std::uint8_t>;
  PackedCells(Arena& arena, unsigned team, const Layout&)
      : cells_(static_cast<Cell*>(arena.take(bytes(team, {})))) {
    for (unsigned i = 0; i < team; ++i) ::new (static_cast<void*>(cells_ + i)) Cell(0);
  }
  static std::size_t bytes(unsigned team, const Layout&) { return team * sizeof(Cell); }
  Cell& operator[](unsigned i) const { return cells_[i]; }

 private:
  Cell* cells_;
};

template <class Memory>
using PaddedCells = PaddedArray<typename Memory::template Atomic<std::uint8_t>>;

template <Memory Memory, class Waiter, template <class> class Cells>
class DistCounterBarrier {
 public:
  DistCounterBarrier(unsigned team, const Layout& layout, Arena& arena)
      : team_(team), counter_(arena, team, layout) {}
  static std::size_t bytes(unsigned team, const Layout& layout) {
    return Cells<Memory>::bytes(team, layout);
  }

  bool arrive_and_wait(unsigned me, Episode episode, Waiter& waiter) {
    mark(me, episode);
    unsigned next = 0;
    const auto others_arrived = [&] { return all_arrived(next, episode, me); };
    if (!waiter.wait(others_arrived, sleep_)) return false;
    // A thread that sees that all have arrived wakes the others. Of the threads that are about to sleep at least the
    // last one to fence sees all arrivals, so there always is such a thread.
    waiter.wake(sleep_);
    return true;
  }

  bool gather(unsigned me, Episode episode, Waiter& waiter) {
    unsigned next = 1;
    if (me == kPrimary) {
      return waiter.wait([&] { return all_arrived(next, episode); }, primary_sleep_);
    }
    mark(me, episode);
    if (waiter.somebody_sleeps(primary_sleep_)) [[unlikely]] {
      Memory::full_fence();  // if the last two arrivals both get here, one sees the other
      if (all_arrived(next, episode)) waiter.wake(primary_sleep_);
    }
    return true;
  }

  // Here only the primary's element is read, and at a gather only the others'. An element that is not read is not
  // marked either: its next reader would fetch the line twice.
  bool release(unsigned me, Episode episode, Waiter& waiter) {
    if (me != kPrimary) {
      return waiter.wait([&] { return has_arrived(kPrimary, episode); }, sleep_);
    }
    mark(me, episode);
    waiter.wake(sleep_);
    return true;
  }

  bool may_use_announcement(const Waiter&) const { return true; }

  void wake_everyone(WaitStats& stats) {
    sleep_.wake(stats);
    primary_sleep_.wake(stats);
  }

 private:
  static constexpr unsigned kPrimary = 0;
  static constexpr unsigned kNobody = ~0U;

  void mark(unsigned me, Episode episode) {
    counter_[me].store(static_cast<std::uint8_t>(episode), std::memory_order_release);
  }

  // All threads before `next` have arrived. `me` skips its own element: another thread may have fetched that line to
  // read it, and fetching it back would be useless.
  bool all_arrived(unsigned& next, Episode episode, unsigned me = kNobody) const {
    while (next < team_ && (next == me || has_arrived(next, episode))) ++next;
    return next == team_;
  }

  // Another thread's element holds this episode, the next, or one of the last few.
  bool has_arrived(unsigned thread, Episode episode) const {
    const std::uint8_t mark = counter_[thread].load(std::memory_order_acquire);
    return static_cast<std::int8_t>(mark - static_cast<std::uint8_t>(episode)) >= 0;
  }

  const unsigned team_;
  Cells<Memory> counter_;
  SleepWord<Memory> sleep_;
  SleepWord<Memory> primary_sleep_;  // at a gather (barriers/fetch_add.h)
};

template <class Memory, class Waiter>
using DistCounter = DistCounterBarrier<Memory, Waiter, PackedCells>;
template <class Memory, class Waiter>
using DistCounterPadded = DistCounterBarrier<Memory, Waiter, PaddedCells>;

}  // namespace muster
