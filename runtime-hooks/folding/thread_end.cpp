#include "runtime-hooks/folding/thread_end.h"

// The C library's, for the destructors of thread_local objects (Itanium C++ ABI). Weak: others than
// glibc may lack it.
extern "C" int __cxa_thread_atexit_impl(void (*destructor)(void*), void* object,
                                        void* module) noexcept __attribute__((weak));
extern "C" void* __dso_handle __attribute__((visibility("hidden")));

namespace muster {

bool call_at_thread_end(void (*function)()) {
  if (__cxa_thread_atexit_impl == nullptr) return false;
  const auto call = [](void* given) { reinterpret_cast<void (*)()>(given)(); };
  return __cxa_thread_atexit_impl(call, reinterpret_cast<void*>(function), &__dso_handle) == 0;
}

}  // namespace muster
