// Who calls sched_yield: an OpenMP runtime, OpenBLAS, or other code, whose calls Muster passes on. OpenBLAS built for
// POSIX threads has threads of its own, which wait for each other by yields. Beside a competitor each costs a time slice.
#pragma once

#include <cstdint>

#include "runtime-hooks/objects/unloading.h"

namespace muster {

// Unscoped: the address cache reads and writes it atomically, as an integer. 0: the object was unloaded.
enum YieldCaller : std::uint8_t { kUnloadedCaller, kOtherCaller, kRuntimeCaller, kBlasCaller };

// Who made the call that returns to `return_address`. A few ns, once its object is cached; some us for the first call
// from an object. Works before any runtime was found by its other calls. Takes no lock that a caller could hold or wait
// for, opens no file, preserves errno. kOther if the object does not fit into the cache.
YieldCaller yield_caller(const void* return_address);

// For when_unloaded().
void forget_yield_callers(const Gone& gone);

// In the child of a fork: a thread that was adding a caller does not exist here.
void yield_callers_after_fork();

}  // namespace muster
