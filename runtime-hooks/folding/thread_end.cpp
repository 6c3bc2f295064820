// Two ways out need two watches. exit() calls the destructors of the caller's thread_local objects, then
// the handlers of atexit(); a thread that only ends calls those destructors, then those of its keys, the first
// made first. So the key (thread_state.h) is made before the OpenMP runtimes make theirs, by which they forget the thread:
// libgomp in its constructor, which may come before Muster's (preload/thunks/inheriting_calls.cpp).
#include "runtime-hooks/folding/thread_end.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "runtime-hooks/objects/unloading.h"
#include "runtime-hooks/teams/thread_state.h"

// The C library's, for thread_local objects (Itanium C++ ABI). Weak: others than glibc may lack it.
extern "C" int __cxa_thread_atexit_impl(void (*destructor)(void*), void* object,
                                        void* module) noexcept __attribute__((weak));
extern "C" void* __dso_handle __attribute__((visibility("hidden")));

namespace muster {
namespace {

void (*g_function)(ThreadEnd) = nullptr;

void end_of_objects(void*) { g_function(ThreadEnd::kMayBeExit); }

}  // namespace

void reserve_thread_end(void (*function)(ThreadEnd)) {
  if (g_function != nullptr) return;
  g_function = function;
  when_process_ends([] { g_function(ThreadEnd::kMayBeExit); });
  at_end_of_threads([] { g_function(ThreadEnd::kOnlyThread); });
  reserve_thread_states();
}

// __cxa_thread_atexit_impl takes the loader's big lock and allocates. A thread that holds the lock, in a constructor
// of what it opens, may wait for one that it has made: so that is for the initial thread only. exit() by another one
// closes its fold somewhat later.
bool watch_thread_end() {
  const bool is_initial = syscall(SYS_gettid) == getpid();
  if (!is_initial && state_key_comes_first()) return true;
  return __cxa_thread_atexit_impl != nullptr &&
         __cxa_thread_atexit_impl(end_of_objects, nullptr, &__dso_handle) == 0;
}

}  // namespace muster
