// `yield`: sched_yield until released, what libomp does and Mosberger's note is about. The best
// thing when only teammates want the CPU; beside a stranger each yield may hand it a whole slice.
#pragma once

#include "platform/native_memory.h"
#include "waiting/waiting_policy.h"

namespace muster {

class Yield {
 public:
  explicit Yield(const WaitParameters&) {}
  static constexpr bool kUsesRoster = false;
  static bool quick_polls() { return true; }
  static bool spins_first() { return true; }

  template <class Memory, class Done>
  bool spin(const Wait<Memory>& wait, Done&& done) {
    while (!done()) {
      Memory::yield();
      wait.stats.yields.add();
    }
    return true;
  }
};

static_assert(WaitingPolicy<Yield, NativeMemory>);

}  // namespace muster
