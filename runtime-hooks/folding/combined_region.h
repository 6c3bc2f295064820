// gcc's combined constructs (`parallel for schedule(dynamic)`, `parallel sections`) in a fold. Their
// function asks for a thread's next share at once, since the runtime has started the worksharing
// construct with the region. In a fold each thread starts it inside the region; to start is to get the
// first share, which is kept with the region's frame until the function asks. Before it does, code of the
// region's clauses may run regions and constructs of its own: those have other frames.
#pragma once

#include "runtime-hooks/runtimes/abi.h"
#include "runtime-hooks/runtimes/runtime.h"
#include "runtime-hooks/teams/thread_state.h"

namespace muster {

// Iterations [begin, end), or a section's number; or that there is none.
struct FirstShare {
  bool some = false;
  long begin = 0;
  long end = 0;
  unsigned section = 0;
};

// The share that was kept for the thread in the region that it is in, by whose function's code this is asked.
// False: it has asked before, or there was none to keep.
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

// In place of the region's function, on the primary thread's stack. Start: called by each thread, gives
// its first share.
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
    frame.first_share = nullptr;  // also keeps the share alive: the call is not a jump
  }
};

}  // namespace muster
