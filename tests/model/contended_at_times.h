// A waiting policy for the checker only: its team is contended for some instances, as `auto` finds it while competitors
// are near. So a combination of algorithms is checked to change over and back.
#pragma once

#include "tests/model/checked_memory.h"
#include "waiting/waiting_policy.h"

namespace muster::model {

// The instance from which on waiting threads request the bits, the instances until they request their end, and the
// number of instances that has both changes. A request takes effect three instances later.
inline constexpr Episode kFirstRequest = 3;
inline constexpr Episode kRequestsFor = 6;
inline constexpr unsigned kInstancesOfBoth = 13;

// Of the program that is explored.
struct ContendedTimes {
  Episode first_request = kFirstRequest;
  bool too_soon = false;  // a mistake: changes take effect after two instances
};
inline ContendedTimes contended_times;

template <bool kSleeps>
class ContendedAtTimes {
 public:
  explicit ContendedAtTimes(const WaitParameters&) {}
  static constexpr bool kUsesArrivals = true;
  static bool records_arrivals() { return false; }
  static bool quick_polls() { return false; }
  static bool spins_first() { return !kSleeps; }

  template <class Memory, class Done>
  bool spin(const Wait<Memory>& wait, Done&& done) {
    const auto [first, too_soon] = contended_times;
    if (wait.episode >= first) {
      wait.arrivals.agreed().request(kContended | kFullFences, wait.episode < first + kRequestsFor,
                                     too_soon ? wait.episode - 1 : wait.episode);
    }
    if (kSleeps) return false;
    while (!done()) Memory::pause();
    return true;
  }
};
static_assert(WaitingPolicy<ContendedAtTimes<true>, CheckedMemory>);

}  // namespace muster::model
