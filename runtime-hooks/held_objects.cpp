#include "runtime-hooks/held_objects.h"

#include <dlfcn.h>

#include <cstdint>

#include "runtime-hooks/lock.h"

namespace muster {
namespace {

struct Held {
  std::uintptr_t caller = 0;  // where it begins; 0: it has gone
  std::uintptr_t object = 0;
  void* handle = nullptr;  // null: it need not be held

  bool is_free() const { return caller == 0 && handle == nullptr; }
};

constexpr unsigned kMaxHeld = 1024;  // what is held beyond stays for ever
Held g_held[kMaxHeld];
unsigned g_count = 0;
Lock g_lock;

bool is_known(const LoadedObject& caller, const LoadedObject& object) {
  const Locked locked(g_lock);
  for (unsigned i = 0; i < g_count; ++i) {
    if (g_held[i].caller == caller.begin && g_held[i].object == object.begin) return true;
  }
  return false;
}

void note(const Held& held) {
  const Locked locked(g_lock);
  unsigned place = 0;
  while (place < g_count && !g_held[place].is_free()) ++place;
  if (place == kMaxHeld) return;
  g_held[place] = held;
  if (place == g_count) ++g_count;
}

bool needs(const LoadedObject& caller, const void* function, const char* symbol) {
  void* handle = handle_of(caller);
  if (handle == nullptr) return false;
  const bool found = dlsym(handle, symbol) == function;
  release_handle(handle);
  return found;
}

}  // namespace

void hold_for(const LoadedObject& caller, const LoadedObject& its_object, const void* function,
              const char* symbol) {
  if (caller.begin == its_object.begin || stays_for_ever(its_object)) return;
  if (is_known(caller, its_object)) return;
  const bool is_global = dlsym(RTLD_NEXT, symbol) == function;
  const bool is_held = is_global && !needs(caller, function, symbol);
  note({caller.begin, its_object.begin, is_held ? handle_of(its_object) : nullptr});
}

void release_held(const Gone& gone) {
  const Locked locked(g_lock);
  for (unsigned i = 0; i < g_count; ++i) {
    Held& held = g_held[i];
    if (held.caller != 0 && (gone(held.caller) || gone(held.object))) held.caller = 0;
  }
}

void release_later(void* handle) {
  if (handle != nullptr) note({.handle = handle});
}

void let_released_go() {
  for (;;) {
    void* handle = nullptr;
    {
      const Locked locked(g_lock);
      for (unsigned i = 0; i < g_count && handle == nullptr; ++i) {
        if (g_held[i].caller != 0 || g_held[i].handle == nullptr) continue;
        handle = g_held[i].handle;
        g_held[i].handle = nullptr;
      }
    }
    if (handle == nullptr) return;
    release_handle(handle);
  }
}

void held_objects_after_fork() { g_lock.unlock(); }

}  // namespace muster
