// Whether a team has a CPU for each of its threads.
#pragma once

#include <atomic>
#include <cstdint>

#include "waiting/deadline.h"
#include "waiting/tuning.h"
#include "waiting/waiting_policy.h"

namespace muster {

// One for all threads of a team. Relaxed: a thread that reads an old answer may wait less efficiently, never
// incorrectly.
class Capacity {
 public:
  explicit Capacity(const WaitParameters& parameters)
      : team_size_(parameters.team_size), bound_cpus_(parameters.bound_cpus) {}

  bool suffices() const { return suffices_.load(std::memory_order_relaxed); }
  // The team has one CPU for several threads.
  bool is_one_cpu() const { return one_cpu_.load(std::memory_order_relaxed); }

  // Counting the CPUs takes a system call, and the number may change: read every 10 ms. True if this was such a time.
  template <class Memory>
  bool look(std::uint64_t now_ns) {
    if (is_ahead(look_again_ns_.load(std::memory_order_relaxed), now_ns, tuning::kLookEveryNs)) {
      return false;
    }
    look_again_ns_.store(now_ns + tuning::kLookEveryNs, std::memory_order_relaxed);
    const unsigned cpus = bound_cpus_ != 0 ? bound_cpus_ : Memory::Scheduler::allowed_cpus();
    const bool suffices = team_size_ <= cpus;
    const bool one_cpu = cpus == 1 && team_size_ > 1;
    if (one_cpu != is_one_cpu()) one_cpu_.store(one_cpu, std::memory_order_relaxed);
    // Every thread reads it at every barrier: written only when the value changes.
    if (suffices != this->suffices()) suffices_.store(suffices, std::memory_order_relaxed);
    return true;
  }

 private:
  const unsigned team_size_;
  const unsigned bound_cpus_;
  std::atomic<bool> suffices_{true};
  std::atomic<bool> one_cpu_{false};
  std::atomic<std::uint64_t> look_again_ns_{0};
};

}  // namespace muster
