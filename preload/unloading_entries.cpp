// dlclose, which may unload runtimes and those who use them, and __cxa_finalize, by which an object says
// that it goes: each calls that last of all, under the loader's lock, before it is unmapped. At the end
// of the process they call it, too, but then nobody is unmapped. docs/runtime-hooks.md, "A runtime that
// goes away".
#include <dlfcn.h>

#include <atomic>
#include <cerrno>

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

// While nobody else could hold the loader's lock, which dlsym takes.
__attribute__((constructor)) void find_finalize() { real_finalize(); }

}  // namespace
}  // namespace muster

using namespace muster;

MUSTER_EXPORT int dlclose(void* handle) noexcept {
  int result = 0;
  keep_runtimes_of_other_folds();
  {
    const BeforeUnloading scope({"dlclose", MUSTER_CALLER});
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

// Calls of dlclose that do not come here, as from an object of a scope of its own, are known by this
// one. What destructors of the object call is bound until they have run.
MUSTER_EXPORT void __cxa_finalize(void* object) {
  const bool goes = object != nullptr && !process_is_ending();
  if (goes && t_in_dlclose == 0) {
    const BeforeUnloading scope({"__cxa_finalize", MUSTER_CALLER});
  }
  if (const Finalize real = real_finalize()) real(object);
  if (!goes) return;
  const int saved = errno;
  object_goes(object);
  errno = saved;
}
