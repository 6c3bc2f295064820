// `dist-sensor`: the distributed counter with local sensor, the paper's "Combined".
//
// Idea     Each thread marks its arrival in an element of its own. Only the primary thread reads them all; then it sets
//          every thread's local sensor. No line is written by more than one thread at a time, and none is polled by
//          more than one.
// Cost     2(n - 1) line transfers: n - 1 elements fetched by the primary, n - 1 sensors by their owners.
// Order    The store of one's element is a release, the primary's read an acquire; setting a sensor is a release,
//          seeing it an acquire. So every thread's stores reach all others through the primary.
// Source   Zhang et al., section 3.4, Figure 6 and Algorithm 1. Both arrays hold episodes, which makes the algorithm's
//          loops that reset them unnecessary.
//
// A sleeping primary would be woken at each arrival only to check and to sleep again. So a thread that finds a sleeper
// reads the elements itself, and releases in the primary's place if all have arrived. Which thread does it makes no
// difference: the stores are the same, and no thread has passed this instance before.
#pragma once

#include "barriers/layout.h"
#include "waiting/memory.h"
#include "waiting/sleep_word.h"

namespace muster {

template <Memory Memory, class Waiter>
class DistCounterLocalSensor {
 public:
  DistCounterLocalSensor(unsigned team, const Layout& layout, Arena& arena)
      : team_(team), counter_(arena, team, layout), sensor_(arena, team, layout) {}
  static std::size_t bytes(unsigned team, const Layout& layout) {
    return 2 * PaddedArray<Word>::bytes(team, layout);
  }

  bool arrive_and_wait(unsigned me, Episode episode, Waiter& waiter) {
    counter_[me].store(episode, std::memory_order_release);
    if (me == kPrimary) {
      unsigned next = 1;  // all threads before it have arrived
      if (!waiter.wait([&] { return all_arrived(next, episode); }, sleep_)) return false;
      if (!released(kPrimary, episode)) release_all(episode, waiter);
      return true;
    }
    if (waiter.somebody_sleeps(sleep_)) [[unlikely]]
      release_for_a_sleeping_primary(episode, waiter);
    return waiter.wait([&] { return released(me, episode); }, sleep_);
  }

  bool gather(unsigned me, Episode episode, Waiter& waiter) {
    counter_[me].store(episode, std::memory_order_release);
    if (me == kPrimary) {
      unsigned next = 1;
      return waiter.wait([&] { return all_arrived(next, episode); }, primary_sleep_);
    }
    if (waiter.somebody_sleeps(primary_sleep_)) [[unlikely]] {
      Memory::full_fence();  // as in release_for_a_sleeping_primary
      unsigned next = 0;
      if (all_arrived(next, episode)) waiter.wake(primary_sleep_);
    }
    return true;
  }

  bool release(unsigned me, Episode episode, Waiter& waiter) {
    if (me != kPrimary) {
      return waiter.wait([&] { return released(me, episode); }, sleep_);
    }
    release_all(episode, waiter);
    return true;
  }

  bool may_use_announcement(const Waiter&) const { return true; }

  void wake_everyone(WaitStats& stats) {
    sleep_.wake(stats);
    primary_sleep_.wake(stats);
  }

 private:
  using Word = typename Memory::template Atomic<Episode>;
  static constexpr unsigned kPrimary = 0;

  bool all_arrived(unsigned& next, Episode episode) const {
    while (next < team_ && counter_[next].load(std::memory_order_acquire) >= episode) ++next;
    return next == team_;
  }

  bool released(unsigned me, Episode episode) const {
    return sensor_[me].load(std::memory_order_acquire) >= episode;
  }

  void release_all(Episode episode, Waiter& waiter) {
    for (unsigned i = 0; i < team_; ++i) sensor_[i].store(episode, std::memory_order_release);
    waiter.wake(sleep_);
  }

  void release_for_a_sleeping_primary(Episode episode, Waiter& waiter) {
    Memory::full_fence();  // if the last two arrivals both get here, one sees the other
    unsigned next = 0;
    if (all_arrived(next, episode)) release_all(episode, waiter);
  }

  const unsigned team_;
  PaddedArray<Word> counter_;
  PaddedArray<Word> sensor_;
  SleepWord<Memory> sleep_;
  SleepWord<Memory> primary_sleep_;  // at a gather (barriers/fetch_add.h)
};

}  // namespace muster
