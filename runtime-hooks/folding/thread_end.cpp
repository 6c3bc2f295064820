// Two ways out need two watches. exit() calls the destructors of the caller's thread_local objects,
// before the handlers of atexit(); a thread that only ends calls those of its keys, the first made
// first. So the key is made before the OpenMP runtimes make theirs, by which they forget the thread: libgomp
// in its constructor, which may come before Muster's (preload/thunks/inheriting_calls.cpp).
#include "runtime-hooks/folding/thread_end.h"

#include <pthread.h>

// The C library's, for thread_local objects (Itanium C++ ABI). Weak: others than glibc may lack it.
extern "C" int __cxa_thread_atexit_impl(void (*destructor)(void*), void* object,
                                        void* module) noexcept __attribute__((weak));
extern "C" void* __dso_handle __attribute__((visibility("hidden")));

namespace muster {
namespace {

void (*g_function)(ThreadEnd) = nullptr;
pthread_key_t g_key;
bool g_has_key = false;

void end_of_objects(void*) { g_function(ThreadEnd::kMayBeExit); }
void end_of_keys(void*) { g_function(ThreadEnd::kOnlyThread); }

}  // namespace

void reserve_thread_end(void (*function)(ThreadEnd)) {
  if (g_function != nullptr) return;
  g_function = function;
  g_has_key = pthread_key_create(&g_key, end_of_keys) == 0;
}

bool watch_thread_end() {
  if (!g_has_key || __cxa_thread_atexit_impl == nullptr) return false;
  return pthread_setspecific(g_key, &g_key) == 0 &&
         __cxa_thread_atexit_impl(end_of_objects, nullptr, &__dso_handle) == 0;
}

}  // namespace muster
