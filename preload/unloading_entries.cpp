// dlclose, which may unload runtimes and objects that use them, and __cxa_finalize, which an object calls as its last
// action, under the loader's lock, before it is unmapped. Objects call it at the end of the process as well, but then
// nothing is unmapped. docs/understand/transparency.md, "A runtime that goes away".
#include <dlfcn.h>

#include <atomic>
#include <cerrno>

#include "platform/c_library/bound.h"
#include "preload/entry.h"
#include "runtime-hooks/folding/root_fold.h"
#include "runtime-hooks/objects/deferred_dlclose.h"
#include "runtime-hooks/objects/unloading.h"

namespace muster {
namespace {

using Finalize = void (*)(void*);

thread_local constinit unsigned t_in_dlclose __attribute__((tls_model("initial-exec"))) = 0;
constinit std::atomic<Finalize> g_finalize{nullptr};

Finalize real_finalize() {
  Finalize real = g_finalize.load(std::memory_order_relaxed);
  if (real != nullptr) return real;
  real = reinterpret_cast<Finalize>(dlsym(RTLD_NEXT, "__cxa_finalize"));
  g_finalize.store(real, std::memory_order_relaxed);
  return real;
}

// In a constructor, when no other thread can hold the loader's lock, which dlsym takes.
__attribute__((constructor)) void find_finalize() { real_finalize(); }

}  // namespace
}  // namespace muster

using namespace muster;

MUSTER_EXPORT int dlclose(void* handle) noexcept {
  if (!muster_c_library_is_complete()) return close_handle(handle);
  int result = 0;
  keep_runtimes_of_other_folds();
  {
    const BeforeUnloading scope({"dlclose", MUSTER_RETURN_ADDRESS});
    ++t_in_dlclose;
    result = close_handle(handle);
    --t_in_dlclose;
  }
  const int saved = errno;
  if (t_in_dlclose == 0) {
    look_for_unloaded();
    close_deferred();
  }
  errno = saved;
  return result;
}

// Detects calls of dlclose that do not come here, such as those from an object in a scope of its own. The object's
// bindings are kept until its destructors have run.
MUSTER_EXPORT void __cxa_finalize(void* object) {
  const bool goes = object != nullptr && muster_c_library_is_complete() && !process_is_ending();
  if (goes && t_in_dlclose == 0) {
    const BeforeUnloading scope({"__cxa_finalize", MUSTER_RETURN_ADDRESS});
  }
  if (const Finalize real = real_finalize()) real(object);
  if (!goes) return;
  const int saved = errno;
  object_goes(object);
  errno = saved;
}
