// A waiting policy for the checker only: its team takes turns for some instances, as `auto` does while competitors are
// near. So an algorithm that takes a different path then is checked to change over and back.
#pragma once

#include "tests/model/checked_memory.h"
#include "waiting/waiting_policy.h"

namespace muster::model {

// The instances at which waiting threads request turns, and from which on they request their end; three later it takes
// effect.
inline constexpr Episode kAskForTurns = 3;
inline constexpr Episode kAskForTheirEnd = 9;
inline constexpr unsigned kInstancesOfBoth = 13;

template <bool kSleeps>
class TakesTurns {
 public:
  explicit TakesTurns(const WaitParameters&) {}
  static constexpr bool kUsesArrivals = true;
  static bool records_arrivals() { return false; }
  static bool quick_polls() { return false; }
  static bool spins_first() { return !kSleeps; }

  template <class Memory, class Done>
  bool spin(const Wait<Memory>& wait, Done&& done) {
    if (wait.episode >= kAskForTurns) {
      wait.arrivals.ask_for_full_fences(wait.episode < kAskForTheirEnd, wait.episode);
    }
    if (kSleeps) return false;
    while (!done()) Memory::pause();
    return true;
  }
};
static_assert(WaitingPolicy<TakesTurns<true>, CheckedMemory>);

}  // namespace muster::model
