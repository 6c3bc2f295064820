// A call of the runtime in which it may run code of the program's: explicit tasks, target regions, copy
// constructors of a task's variables. fork() is another, which runs the program's handlers. That code may run
// regions but opens no fold, which would outlive the call. So an entry point that makes such a call stands in
// this scope. (A fold of that runtime is closed by then. What is open of another one stays so: of that, the
// thread is in the task that opened it.)
//
// What is no call, the runtime is asked for: clang's `task if(0)` runs between two calls (Fold::may_open).
#pragma once

namespace muster {

// How many of them the thread is in.
extern thread_local constinit unsigned t_runtime_calls __attribute__((tls_model("initial-exec")));

class RuntimeCall {
 public:
  RuntimeCall() { ++t_runtime_calls; }
  ~RuntimeCall() { --t_runtime_calls; }
  RuntimeCall(const RuntimeCall&) = delete;
  RuntimeCall& operator=(const RuntimeCall&) = delete;
};

}  // namespace muster
