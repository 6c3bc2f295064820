// A call at the end of the calling thread, or of the process by that thread's exit().
#pragma once

namespace muster {

// When the library is loaded: reserves what watch_thread_end() needs. `function` may be called twice,
// by the thread that ends.
void reserve_thread_end(void (*function)());

// From now on for the calling thread. False where that cannot be had.
bool watch_thread_end();

}  // namespace muster
