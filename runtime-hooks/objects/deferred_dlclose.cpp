#include "runtime-hooks/objects/deferred_dlclose.h"

#include "platform/lock.h"
#include "runtime-hooks/objects/loaded_objects.h"

namespace muster {
namespace {

constexpr unsigned kMaxReleased = 256;
void* g_released[kMaxReleased];
unsigned g_count = 0;
Lock g_lock;

}  // namespace

void close_later(void* handle) {
  const Locked locked(g_lock);
  if (g_count < kMaxReleased) g_released[g_count++] = handle;
}

void close_deferred() {
  for (;;) {
    void* handle = nullptr;
    {
      const Locked locked(g_lock);
      if (g_count == 0) return;
      handle = g_released[--g_count];
    }
    release_handle(handle);
  }
}

void deferred_dlclose_after_fork() { g_lock.unlock(); }

}  // namespace muster
