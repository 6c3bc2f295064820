// The plan of one run: determined by its seed and by what the command line fixes.
#pragma once

#include <optional>
#include <vector>

#include "options/barrier_names.h"
#include "options/wait_names.h"
#include "tests/chaos/weak_memory.h"

namespace muster::chaos {

// One barrier of a region, or its end.
struct Step {
  bool in_halves = false;
  bool callers[kMostThreads] = {};  // threads that create a task before they arrive
  bool early = false;               // thread 0 creates it between the halves of the barrier before
  bool lasting = false;             // a task that only the end of the region finishes
  bool at_real = false;             // another task is created at the runtime's barrier

  bool is_called_off() const {
    for (const bool calls : callers) {
      if (calls) return true;
    }
    return early;
  }
};

struct Region {
  std::vector<Step> barriers;
  Step join;  // of a folded one
};

// A region of the runtime: with `folded` it stays open for all of `regions`; otherwise there is one.
struct RealRegion {
  unsigned state = 0;  // the team's size is Plan::sizes[state]
  bool folded = false;
  std::vector<Region> regions;
};

struct Plan {
  std::uint64_t seed = 0;
  BarrierKind barrier = BarrierKind::kTree;
  WaitKind wait = WaitKind::kAuto;
  unsigned threads = 2;
  unsigned sizes[2] = {2, 2};
  std::vector<RealRegion> real_regions;

  unsigned late_of_256 = 0;  // arrivals after a while
  unsigned very_late_of_256 = 0;
  unsigned radix = 4;
  unsigned cpus = 2;
  bool may_place = false;
  std::uint64_t slice_ns = 0;
  std::uint64_t switch_ns = 2'000;
  std::uint64_t fixed_ns = 0;
  MemoryPlan memory;
  test::Schedule schedule;
};

// The parts that are not drawn.
struct Fixed {
  std::optional<BarrierKind> barrier;
  std::optional<WaitKind> wait;
  std::optional<unsigned> threads;
};

Plan plan_of(std::uint64_t seed, const Fixed& fixed);

}  // namespace muster::chaos
