// What a runtime tells of the task that the calling thread is in.
#pragma once

#include "runtime-hooks/runtimes/real_functions.h"

namespace muster {

inline bool says_explicit_task(const RealFunctions& real) {
  return real.omp_in_explicit_task != nullptr && real.omp_in_explicit_task() != 0;
}

// Between the calls that begin and end a task, too. libgomp runs a task inside a call (runtime_call.h), and
// could not be asked before gcc 13.
inline bool in_explicit_task(const RealFunctions& real) {
  if (real.__kmpc_get_parent_taskid != nullptr) return real.__kmpc_get_parent_taskid() != 0;
  return says_explicit_task(real);
}

// The task that the thread is in, where the runtime tells; else 0.
inline std::uint64_t task_of(const RealFunctions& real) {
  return real.__kmpc_get_taskid != nullptr ? real.__kmpc_get_taskid() : 0;
}

}  // namespace muster
