// `spin`: busy-wait without a limit, as Zhang et al.'s barriers do (section 3). It is the fastest while every thread
// has a CPU of its own. With fewer CPUs than threads it depends on the scheduler to preempt. Under a real-time policy
// that would not happen, so there a wait sleeps after a millisecond.
#pragma once

#include "platform/native_memory.h"
#include "waiting/real_time_limit.h"
#include "waiting/waiting_policy.h"

namespace muster {

class Spin {
 public:
  explicit Spin(const WaitParameters&) {}
  static constexpr bool kUsesArrivals = false;
  static bool quick_polls() { return true; }
  static bool spins_first() { return true; }

  template <class Memory, class Done>
  bool spin(const Wait<Memory>& wait, Done&& done) {
    for (unsigned polls = 1; !done(); ++polls) {
      if (polls % kPollsPerClockRead == 0 && keeps_others_from_running<Memory>(wait.start_ns)) {
        return false;
      }
      Memory::pause();
    }
    return true;
  }

 private:
  static constexpr unsigned kPollsPerClockRead = 1024;
};

static_assert(WaitingPolicy<Spin, NativeMemory>);

}  // namespace muster
