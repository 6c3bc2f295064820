// System calls that the program would not make without Muster, and whether one may be made now. A seccomp filter may end
// the process for it, so every such call asks here.
//
// - While no filter is in force, all are allowed.
// - Under a filter from before the first of them, each has been made by a child process, which shares nothing with this
//   one. What ended the child is not allowed. Without a child, or without a way to wait for it, nothing is.
// - From the moment at which the program installs a filter (preload/filter_entries.cpp), none is. Until then, what
//   Muster has changed is given back, and no thread is inside one.
//
// Not optional: clock_gettime of the vDSO; futex, mmap, munmap and mprotect, which OpenMP runtimes and the loader make,
// too; getpid; clone3 and rt_sigprocmask for the child, as for the runtimes' threads; and openat, read and close of
// /proc/self/status, as the loader has made them for this library. Filters that look at arguments may still end what
// was tried with others.
#pragma once

namespace muster {

// The calling thread makes optional calls until the end of the scope; a filter is not installed before. Must not
// sleep for long. About 20 ns.
class OptionalCalls {
 public:
  OptionalCalls();
  ~OptionalCalls();
  OptionalCalls(const OptionalCalls&) = delete;
  OptionalCalls& operator=(const OptionalCalls&) = delete;

  // By the number of the call. Within this scope, `syscall` makes it.
  bool allow(long number) const;
  // Also those of other libraries, which Muster does not know.
  bool allow_all() const;

 private:
  static void leave();
  bool admitted_;
};

// When it returns, no optional call is being made, and none will be. Gives back the time slices of all threads. Once, and
// not in a child of vfork(), which has the parent's memory and threads.
void end_optional_calls();
bool optional_calls_ended();
bool in_child_of_vfork();

}  // namespace muster

// As syscall(). ECANCELED: not allowed.
extern "C" __attribute__((visibility("hidden"))) long optional_call(long number, ...) noexcept;
