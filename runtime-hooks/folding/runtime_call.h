// A call of the runtime in which it may run code of the program's: explicit tasks, target regions, copy
// constructors of a task's variables. That code may run regions but opens no fold, which would outlive the
// call. So an entry point that makes such a call stands in this scope. (A fold of that runtime is closed by then. What
// is open of another one stays so: of that, the thread is in the task that opened it.)
//
// What is no call, the runtime is asked for: clang's `task if(0)` runs between two calls (Fold::may_open).
#pragma once

namespace muster {

extern thread_local constinit bool t_in_runtime_call __attribute__((tls_model("initial-exec")));

class RuntimeCall {
 public:
  RuntimeCall() : before_(t_in_runtime_call) { t_in_runtime_call = true; }
  ~RuntimeCall() { t_in_runtime_call = before_; }
  RuntimeCall(const RuntimeCall&) = delete;
  RuntimeCall& operator=(const RuntimeCall&) = delete;

 private:
  const bool before_;
};

}  // namespace muster
