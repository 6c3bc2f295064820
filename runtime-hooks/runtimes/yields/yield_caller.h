// Whether an OpenMP runtime calls sched_yield, or other code, whose calls Muster passes on.
#pragma once

#include "runtime-hooks/objects/unloading.h"

namespace muster {

// Whether the call that returns to `return_address` was made by a runtime. A few ns, once its object is cached; some
// us for the first call from an object. Works before any runtime was found by its other calls. Takes no lock that a
// caller could hold or wait for, opens no file, preserves errno. The answer is no if the object does not fit into the
// cache.
bool is_runtimes_yield(const void* return_address);

// For when_unloaded().
void forget_yield_callers(const Gone& gone);

// In the child of a fork: a thread that was adding a caller does not exist here.
void yield_callers_after_fork();

}  // namespace muster
