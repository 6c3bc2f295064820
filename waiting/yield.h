// `yield`: sched_yield until released, what libomp does and Mosberger's note is about. The best
// thing when only teammates want the CPU; beside a stranger each yield may hand it a whole slice.
#pragma once

#include <atomic>
#include <cstdint>

#include "platform/native_memory.h"
#include "waiting/deadline.h"
#include "waiting/waiting_policy.h"

namespace muster {

class Yield {
 public:
  explicit Yield(const WaitParameters& parameters)
      : team_size_(parameters.team_size), bound_cpus_(parameters.bound_cpus) {}
  static constexpr bool kUsesRoster = false;
  // Where teammates share a CPU, the one that is waited for most likely needs this one.
  bool quick_polls() const { return fits_.load(std::memory_order_relaxed); }
  static bool spins_first() { return true; }

  template <class Memory, class Done>
  bool spin(const Wait<Memory>& wait, Done&& done) {
    look<Memory>(wait.start_ns);
    while (!done()) {
      Memory::yield();
      wait.stats.yields.add();
    }
    return true;
  }

 private:
  static constexpr std::uint64_t kLookEveryNs = 10'000'000;

  // How many CPUs there are takes a system call, and may change.
  template <class Memory>
  void look(std::uint64_t now_ns) {
    if (is_ahead(look_again_ns_.load(std::memory_order_relaxed), now_ns, kLookEveryNs)) return;
    look_again_ns_.store(now_ns + kLookEveryNs, std::memory_order_relaxed);
    const bool fits = team_size_ <= (bound_cpus_ != 0 ? bound_cpus_ : Memory::allowed_cpus());
    if (fits != quick_polls()) fits_.store(fits, std::memory_order_relaxed);
  }

  const unsigned team_size_;
  const unsigned bound_cpus_;
  std::atomic<bool> fits_{true};
  std::atomic<std::uint64_t> look_again_ns_{0};
};

static_assert(WaitingPolicy<Yield, NativeMemory>);

}  // namespace muster
