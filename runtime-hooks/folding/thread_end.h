// A callback at the end of a thread, or at the end of the process by that thread's exit().
#pragma once

namespace muster {

enum class ThreadEnd {
  kMayBeExit,   // either; kOnlyThread follows if only the thread ends
  kOnlyThread,  // the process goes on
};

// Reserves, once, what register_thread_end() needs: to be called when the library is loaded, or earlier. `function`
// is called by the thread that ends.
void reserve_thread_end(void (*function)(ThreadEnd));

// Registers the calling thread, which has a state. False if that is not possible.
bool register_thread_end();

}  // namespace muster
