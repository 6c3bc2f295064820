// How many threads sleep at a futex word, for the load sensor, which takes the team's other threads for runnable.
//
// A thread that has been woken is runnable, though others may have its CPU: those that were woken with it, say. If it
// counted as asleep until it runs, the sensor would take it for a thread of another process. So the waker counts all
// whom it woke as awake, at once and after the last: until then a regular look waits. A sleeper itself counts only if
// nobody woke it.
#pragma once

#include <atomic>

#include "load/load_sensor.h"

namespace muster {

// Where one thread falls asleep while another wakes the sleepers, one may be counted wrongly until they are woken the next
// time. No thread is counted twice: the sensor gets what was taken from here. Whoever takes some also sees the sensor:
// acquire and release.
class Sleepers {
 public:
  void fall_asleep(LoadSensor* sensor) {
    sensor_.store(sensor, std::memory_order_relaxed);
    asleep_.fetch_add(1, std::memory_order_release);
    sensor->fell_asleep();
  }

  // One that was not woken.
  void wake_one() {
    int asleep = asleep_.load(std::memory_order_relaxed);
    while (asleep != 0) {
      if (!asleep_.compare_exchange_weak(asleep, asleep - 1, std::memory_order_acquire)) continue;
      sensor_.load(std::memory_order_relaxed)->woke_up(1);
      return;
    }
  }

  // Those that are about to be woken. Counts them without the object they slept at, which may be gone when they run.
  struct Woken {
    LoadSensor* sensor = nullptr;
    int threads = 0;
    void are_awake() const {
      if (threads != 0) sensor->woke_up(threads);
    }
  };
  [[nodiscard]] Woken wake_all() {
    if (asleep_.load(std::memory_order_relaxed) == 0) return {};
    const int threads = asleep_.exchange(0, std::memory_order_acquire);
    return {.sensor = sensor_.load(std::memory_order_relaxed), .threads = threads};
  }

 private:
  std::atomic<int> asleep_{0};
  std::atomic<LoadSensor*> sensor_{nullptr};
};

}  // namespace muster
