// A call at the end of the calling thread, or of the process by that thread's exit().
#pragma once

namespace muster {

enum class ThreadEnd {
  kMayBeExit,   // either; of a thread that only ends, kOnlyThread follows
  kOnlyThread,  // the process goes on
};

// When the library is loaded, or earlier: reserves what watch_thread_end() needs, once. `function` is called by
// the thread that ends.
void reserve_thread_end(void (*function)(ThreadEnd));

// From now on for the calling thread, which has a state. False where that cannot be had.
bool watch_thread_end();

}  // namespace muster
