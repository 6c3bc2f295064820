// Regions that are opened by one call and closed by another (GOMP_parallel_start, GOMP_parallel_end, used by code
// from gcc before 4.9). The primary thread's frame cannot be on the wrapper's stack.
#pragma once

#include "runtime-hooks/teams/region.h"

namespace muster {

class StartedRegion {
 public:
  // Before the real start. The workers run function() with data() as its argument. Null without memory: the caller then
  // passes the program's function on.
  static StartedRegion* open(Runtime& runtime, abi::GompRegion function, void* data, Unfolded why,
                             CallSite place);

  static abi::GompRegion function() { return &GompRegion::run; }
  void* data() { return &region_; }

  // After the real start: the primary thread is in the region now.
  void enter();

  // Before the real end; returns the innermost region of `runtime` that this thread has open, or
  // null.
  static StartedRegion* leave(const Runtime& runtime);

  // After the real end.
  void close();

 private:
  Frame frame_;
  GompRegion region_{};
  UnfoldedSite site_;
  Runtime* runtime_ = nullptr;
  ThreadState* state_ = nullptr;
  StartedRegion* next_ = nullptr;  // outer open region, or next in the list of unused ones
};

}  // namespace muster
