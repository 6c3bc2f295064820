// What Muster asks of the scheduler for a thread that waits at barriers lasts as long as the region:
// whatever the thread starts afterwards, threads or processes, inherits its slice.
#pragma once

#include "platform/slice.h"

namespace muster {

// The calling thread is scheduled as the program had it. Cheap when it is so already.
inline void give_everything_back() { give_slice_back(); }

}  // namespace muster
