// The time slice that a thread requests from the kernel (`MUSTER_SLICE`). While competitors are near, short turns bring
// a thread that is needed back soon. When they have been gone for a while, the kernel's own slice is restored. On a
// team's only CPU short slices make its yields cheap: since Linux 6.18 the rest of the slice of a thread that yields
// counts as used, and otherwise a teammate that polls for something else than this team has nearly all the turns.
#pragma once

#include <cstdint>

#include "waiting/contention.h"
#include "waiting/tuning.h"
#include "waiting/waiting_policy.h"

namespace muster {

class RequestedSlice {
 public:
  explicit RequestedSlice(const WaitParameters& parameters)
      : slice_ns_(parameters.settings.slice_ns) {}

  template <class Memory>
  void adapt(const Wait<Memory>& wait, const Contention& contention) const {
    if (slice_ns_ == 0) return;
    if (contention.is_one_cpu() || contention.competitor_near(wait.start_ns)) {
      if (!Memory::Scheduler::has_requested_slice() &&
          Memory::Scheduler::may_ask_scheduler(wait.start_ns) &&
          Memory::Scheduler::ask_for_slice(slice_ns_)) {
        wait.stats.short_slices.add();
      }
    } else if (Memory::Scheduler::has_requested_slice() &&
               !contention.competitor_seen_lately(wait.start_ns)) {
      Memory::Scheduler::give_slice_back();
    }
  }

 private:
  const std::uint64_t slice_ns_;
};

}  // namespace muster
