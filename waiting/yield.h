// `yield`: sched_yield until released, as libomp does and Mosberger's note discusses. The best choice when only
// teammates want the CPU. With a competitor each yield may give away a whole slice. Under a real-time policy it sleeps
// after a millisecond.
#pragma once

#include "platform/native_memory.h"
#include "waiting/capacity.h"
#include "waiting/real_time_limit.h"
#include "waiting/scheduler.h"
#include "waiting/waiting_policy.h"

namespace muster {

class Yield {
 public:
  explicit Yield(const WaitParameters& parameters) : capacity_(parameters) {}
  static constexpr bool kUsesArrivals = false;
  // If teammates share a CPU, the one that this thread waits for most likely needs this CPU.
  bool quick_polls() const { return capacity_.suffices(); }
  static bool spins_first() { return true; }

  template <class Memory, class Done>
    requires HasScheduler<Memory>
  bool spin(const Wait<Memory>& wait, Done&& done) {
    capacity_.look(wait);
    for (unsigned yields = 1; !done(); ++yields) {
      if (yields % kYieldsPerClockRead == 0 && keeps_others_from_running<Memory>(wait.start_ns)) {
        return false;
      }
      Memory::Scheduler::yield();
      wait.stats.yields.add();
    }
    return true;
  }

 private:
  static constexpr unsigned kYieldsPerClockRead = 16;

  Capacity capacity_;
};

static_assert(WaitingPolicy<Yield, NativeMemory>);

}  // namespace muster
