// Who calls sched_yield: an OpenMP runtime, or anybody else, whose calls are none of Muster's
// business.
#pragma once

#include "runtime-hooks/objects/unloading.h"

namespace muster {

// Whether the call that returns to `return_address` is a runtime's own. A few ns, once an object
// has been seen; some us for the first call from it. Works before any runtime was found by its
// other calls. Takes no lock that a caller could hold or wait for, opens nothing, leaves errno
// alone. In doubt the answer is no: when more objects call than are
// remembered.
bool is_runtimes_yield(const void* return_address);

// For when_unloaded().
void forget_yield_callers(const Gone& gone);

// In the child of a fork: a thread that was adding a caller does not exist here.
void yield_callers_after_fork();

}  // namespace muster
