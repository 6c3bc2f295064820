// What took the time that a thread missed, if not a competitor: a CPU quota, or the host of a virtual machine.
#pragma once

#include <atomic>
#include <cstdint>

#include "load/load_sensor.h"

namespace muster {

// One for all threads of a team. Relaxed: a thread that reads an old value may take one gap for a competitor's.
class MissingTime {
 public:
  explicit MissingTime(LoadSensor* sensor) : sensor_(sensor) {}  // nullptr: no cause is known

  // Called about every 10 ms.
  void note_quota(bool has_quota) {
    if (has_quota_.load(std::memory_order_relaxed) == has_quota) return;
    has_quota_.store(has_quota, std::memory_order_relaxed);
  }

  // Stolen time that explains all but `tolerated_ns` of the gap is a cause.
  bool has_other_cause(std::uint64_t before_ns, std::uint64_t now_ns, std::uint64_t tolerated_ns) {
    if (sensor_ == nullptr) return false;
    return was_throttled(now_ns) || sensor_->was_stolen(before_ns, now_ns, tolerated_ns);
  }

 private:
  // Not inlined: the copy of the load would be on the stack of each wait.
  [[gnu::noinline]] bool was_throttled(std::uint64_t now_ns) {
    if (!has_quota_.load(std::memory_order_relaxed)) return false;
    sensor_->look(now_ns);
    const std::uint64_t periods = sensor_->last().throttled_periods;
    return throttled_periods_.exchange(periods, std::memory_order_relaxed) != periods;
  }

  LoadSensor* const sensor_;
  std::atomic<bool> has_quota_{false};
  std::atomic<std::uint64_t> throttled_periods_{0};
};

}  // namespace muster
