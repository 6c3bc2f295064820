// Two ways to end need two callbacks. exit() calls the destructors of the caller's thread_local objects, then the
// handlers of atexit(). A thread that only ends calls those destructors, then those of its keys, in the order in
// which the keys were made. So Muster's key (thread_state.h) is made before the keys by which the OpenMP runtimes
// release a thread; libgomp makes its key in its constructor, which may run before Muster's
// (preload/thunks/inheriting_calls.cpp).
#include "runtime-hooks/folding/thread_end.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "platform/optional_calls.h"
#include "runtime-hooks/objects/unloading.h"
#include "runtime-hooks/teams/thread_state.h"

// The C library's registration of thread_local destructors (Itanium C++ ABI). Weak: only glibc has it for certain.
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

// __cxa_thread_atexit_impl takes the loader's load lock and allocates. A thread that holds the lock, in a
// constructor, may wait for a thread that it has created. So only the initial thread is registered this way; for
// another thread that calls exit(), the fold is closed somewhat later.
bool register_thread_end() {
  const long thread = optional_call(SYS_gettid);
  const bool is_initial = thread < 0 || thread == getpid();  // or unknown
  if (!is_initial && state_key_comes_first()) return true;
  return __cxa_thread_atexit_impl != nullptr &&
         __cxa_thread_atexit_impl(end_of_objects, nullptr, &__dso_handle) == 0;
}

}  // namespace muster
