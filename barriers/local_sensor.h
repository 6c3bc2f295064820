// `local-sensor`: a central counter, with each thread released through a word of its own.
//
// Idea     Threads add themselves to a counter but wait on a local sensor, so that waiting does not disturb the
//          counter's line. The last to arrive sets all sensors.
// Cost     n atomic updates of one line, n - 1 sensor lines written by the last and fetched by one thread each.
// Order    Arrival is an acquire-release update, so the last to arrive has seen all stores; setting a sensor is a
//          release, seeing it an acquire.
// Source   Zhang et al., section 3.4 (first half), after Mellor-Crummey & Scott and Nikolopoulos & Papatheodorou. A
//          sensor holds the episode that it was released from, so none is reset.
#pragma once

#include "barriers/fetch_add.h"
#include "barriers/layout.h"
#include "waiting/memory.h"
#include "waiting/sleep_word.h"

namespace muster {

template <Memory Memory, class Waiter>
class LocalSensor {
 public:
  LocalSensor(unsigned team, const Layout& layout, Arena& arena)
      : team_(team), sensor_(arena, team, layout) {}
  static std::size_t bytes(unsigned team, const Layout& layout) {
    return PaddedArray<Sensor>::bytes(team, layout);
  }

  bool arrive_and_wait(unsigned me, Episode episode, Waiter& waiter) {
    if (!is_last(1, episode, waiter)) return wait_for_sensor(me, episode, waiter);
    set_sensors(me, episode, waiter);
    return true;
  }

  bool gather(unsigned me, Episode episode, Waiter& waiter) {
    const bool last = is_last(1, episode, waiter);
    if (me == kPrimary) {
      const auto all = [&] { return counter_.load(std::memory_order_acquire) >= episode * team_; };
      return last || waiter.wait(all, primary_sleep_);
    }
    if (last) waiter.wake(primary_sleep_);
    return true;
  }

  bool release(unsigned me, Episode episode, Waiter& waiter) {
    if (me != kPrimary) return wait_for_sensor(me, episode, waiter);
    is_last(team_, episode, waiter);  // keeps the count in step; no other thread adds itself here
    set_sensors(me, episode, waiter);
    return true;
  }

  void wake_everyone(WaitStats& stats) {
    sleep_.wake(stats);
    primary_sleep_.wake(stats);
  }

 private:
  using Sensor = typename Memory::template Atomic<Episode>;
  static constexpr unsigned kPrimary = 0;

  bool is_last(unsigned threads, Episode episode, Waiter& waiter) {
    return CountByLoop<Memory>::add(counter_, threads, waiter.failed_updates()) == episode * team_;
  }

  void set_sensors(unsigned me, Episode episode, Waiter& waiter) {
    for (unsigned i = 0; i < team_; ++i) {
      if (i != me) sensor_[i].store(episode, std::memory_order_release);
    }
    waiter.wake(sleep_);
  }

  bool wait_for_sensor(unsigned me, Episode episode, Waiter& waiter) {
    return waiter.wait([&] { return sensor_[me].load(std::memory_order_acquire) >= episode; },
                       sleep_);
  }

  const unsigned team_;
  PaddedArray<Sensor> sensor_;
  alignas(kCoherenceGranule) typename Memory::template Atomic<Episode> counter_{0};
  SleepWord<Memory> sleep_;
  SleepWord<Memory> primary_sleep_;  // at a gather (barriers/fetch_add.h)
};

}  // namespace muster
