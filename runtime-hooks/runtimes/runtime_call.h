// Scope of a call into the runtime during which the runtime may run code of the program: explicit tasks, target
// regions, copy constructors of a task's variables. fork() is another, which runs the program's handlers. That code
// may run regions, but must not open a fold, which would outlive the call. (A fold of the same runtime was closed
// before. One of another runtime stays open: for that runtime, the thread is still in the task that opened it.)
//
// clang's `task if(0)` runs between two calls instead; there the runtime is queried (Fold::may_open).
#pragma once

namespace muster {

// How many such calls the thread is in.
extern thread_local constinit unsigned t_runtime_calls __attribute__((tls_model("initial-exec")));

class RuntimeCall {
 public:
  RuntimeCall() { ++t_runtime_calls; }
  ~RuntimeCall() { --t_runtime_calls; }
  RuntimeCall(const RuntimeCall&) = delete;
  RuntimeCall& operator=(const RuntimeCall&) = delete;
};

}  // namespace muster
