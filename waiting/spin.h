// `spin`: busy-wait for ever, as Zhang et al.'s barriers do (section 3). The fastest while every
// thread has a CPU of its own; with fewer CPUs than threads it runs only as fast as the scheduler
// preempts.
#pragma once

#include "platform/native_memory.h"
#include "waiting/waiting_policy.h"

namespace muster {

class Spin {
 public:
  explicit Spin(const WaitParameters&) {}
  static constexpr bool kUsesRoster = false;
  static bool quick_polls() { return true; }
  static bool spins_first() { return true; }

  template <class Memory, class Done>
  bool spin(const Wait<Memory>&, Done&& done) {
    while (!done()) Memory::pause();
    return true;
  }
};

static_assert(WaitingPolicy<Spin, NativeMemory>);

}  // namespace muster
