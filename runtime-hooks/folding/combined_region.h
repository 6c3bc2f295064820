// gcc's combined constructs (`parallel for schedule(dynamic)`, `parallel sections`) in a fold. The runtime starts
// their worksharing construct with the region, so their function requests its next share at once. In a fold each
// thread starts the construct inside the region. The start returns the first share, which is kept with the region's
// frame until the function requests it. Code of the region's clauses may run regions and constructs before that;
// these have other frames.
#pragma once

#include "runtime-hooks/runtimes/abi.h"
#include "runtime-hooks/runtimes/runtime.h"
#include "runtime-hooks/teams/thread_state.h"

namespace muster {

// Iterations [begin, end), or the number of a section; or none.
struct FirstShare {
  bool some = false;
  long begin = 0;
  long end = 0;
  unsigned section = 0;
};

// The first share that was kept for the thread in its current region, to be called from that region's function.
// False: it was taken before, or none was kept.
inline bool take_first_share(FirstShare& share, const void* caller, const char* symbol) {
  const ThreadState* state = t_thread_state;
  Frame* frame = state != nullptr ? state->top : nullptr;
  if (frame == nullptr || frame->first_share == nullptr) [[likely]]
    return false;
  if (frame->serialized != 0 || &runtime_of(caller, symbol) != frame->runtime) return false;
  share = *frame->first_share;
  frame->first_share = nullptr;
  return true;
}

// Replaces the region's function; on the primary thread's stack. `Start` is called by each thread and returns its first
// share.
template <class Start>
struct CombinedRegion {
  abi::GompRegion function;
  void* data;
  Start start;

  static void run(void* region) {
    const CombinedRegion& self = *static_cast<const CombinedRegion*>(region);
    FirstShare share;
    self.start(share);
    Frame& frame = *t_thread_state->top;  // the fold's
    frame.first_share = &share;
    self.function(self.data);
    // It also keeps the call from becoming a tail call, which would end the share's lifetime.
    frame.first_share = nullptr;
  }
};

}  // namespace muster
