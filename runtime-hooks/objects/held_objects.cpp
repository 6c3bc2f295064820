#include "runtime-hooks/objects/held_objects.h"

#include "platform/lock.h"
#include "runtime-hooks/objects/loaded_objects.h"

namespace muster {
namespace {

constexpr unsigned kMaxReleased = 256;
void* g_released[kMaxReleased];
unsigned g_count = 0;
Lock g_lock;

}  // namespace

void release_later(void* handle) {
  const Locked locked(g_lock);
  if (g_count < kMaxReleased) g_released[g_count++] = handle;
}

void let_released_go() {
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

void held_objects_after_fork() { g_lock.unlock(); }

}  // namespace muster
