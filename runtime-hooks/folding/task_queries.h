// Queries about the calling thread's current task.
#pragma once

#include "runtime-hooks/runtimes/real_functions.h"

namespace muster {

inline bool says_explicit_task(const RealFunctions& real) {
  return real.omp_in_explicit_task != nullptr && real.omp_in_explicit_task() != 0;
}

// True also between the calls that begin and end a task. libgomp runs tasks inside a call (runtime_call.h); it has no
// query before gcc 13.
inline bool in_explicit_task(const RealFunctions& real) {
  if (real.__kmpc_get_parent_taskid != nullptr) return real.__kmpc_get_parent_taskid() != 0;
  return says_explicit_task(real);
}

// The thread's current task, if the runtime has a query for it; else 0.
inline std::uint64_t task_of(const RealFunctions& real) {
  return real.__kmpc_get_taskid != nullptr ? real.__kmpc_get_taskid() : 0;
}

}  // namespace muster
