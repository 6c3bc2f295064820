// Whether a team has a CPU for each of its threads.
#pragma once

#include <algorithm>
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

  unsigned threads() const { return team_size_; }
  bool suffices() const { return suffices_.load(std::memory_order_relaxed); }
  // The CPUs of all threads of the team, at the last look.
  unsigned cpus() const { return cpus_.load(std::memory_order_relaxed); }
  // The team has one CPU for several threads.
  bool is_one_cpu() const { return cpus() == 1 && team_size_ > 1; }

  // Counting the CPUs takes a system call, and the number may change: read every 10 ms. True if this was such a time.
  // A thread that may use one CPU does not know its teammates' masks: the program may have bound each thread to a CPU.
  // Then the CPUs count on which the team's threads were seen.
  template <class Memory>
  bool look(const Wait<Memory>& wait) {
    const std::uint64_t now_ns = wait.start_ns;
    if (is_ahead(look_again_ns_.load(std::memory_order_relaxed), now_ns, tuning::kLookEveryNs)) {
      return false;
    }
    look_again_ns_.store(now_ns + tuning::kLookEveryNs, std::memory_order_relaxed);
    unsigned cpus = bound_cpus_ != 0 ? bound_cpus_ : Memory::Scheduler::allowed_cpus();
    if (cpus == 1 && bound_cpus_ == 0) cpus = std::max(1U, wait.arrivals.cpus_seen());
    const bool suffices = team_size_ <= cpus;
    // Every thread reads these at every barrier: written only when the value changes.
    if (cpus != this->cpus()) cpus_.store(cpus, std::memory_order_relaxed);
    if (suffices != this->suffices()) suffices_.store(suffices, std::memory_order_relaxed);
    return true;
  }

 private:
  const unsigned team_size_;
  const unsigned bound_cpus_;
  std::atomic<bool> suffices_{true};
  std::atomic<unsigned> cpus_{0};  // 0: not counted yet
  std::atomic<std::uint64_t> look_again_ns_{0};
};

}  // namespace muster
