// A waiting policy for the checker only: what `auto` does with competitors, without its sensing. Sleepers and wakers
// use full fences, threads record their arrivals, and a thread that finds a teammate absent that shares its CPU sleeps
// for it (waiting/arrivals.h), then on the barrier's word. The checked memory has no scheduler, so that all threads
// count as on one CPU.
#pragma once

#include "tests/model/checked_memory.h"
#include "waiting/waiting_policy.h"

namespace muster::model {

class GivesWay {
 public:
  explicit GivesWay(const WaitParameters&) {}
  static constexpr bool kUsesArrivals = true;
  static bool records_arrivals() { return true; }
  static bool quick_polls() { return false; }
  static bool spins_first() { return false; }

  template <class Memory, class Done>
  bool spin(const Wait<Memory>& wait, Done&& done) {
    const unsigned absent = wait.arrivals.absent_on(cpu_of_caller<Memory>(), wait.me, wait.episode);
    const bool fenced = (wait.arrivals.agreed().at(wait.episode) & kFullFences) != 0;
    if (absent != kNobody && wait.for_release && fenced) {
      wait.arrivals.give_way_to(absent, wait.me, wait.episode, done, wait.stats);
    }
    return false;
  }
};
static_assert(WaitingPolicy<GivesWay, CheckedMemory>);

}  // namespace muster::model
