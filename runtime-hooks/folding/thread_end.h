// A call at the end of the calling thread: when it returns, exits, or ends the process by exit().
#pragma once

namespace muster {

// Later registrations are called earlier; thread_local objects of C++ count among them, and all of
// them are called before the handlers of atexit(). False where the C library cannot, or has no
// memory.
bool call_at_thread_end(void (*function)());

}  // namespace muster
