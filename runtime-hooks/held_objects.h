// What the loader would have kept. An object that is bound to a definition of the global scope, without
// needing the object that has it, keeps that one loaded until it goes itself: the loader notes so as it
// binds. With Muster preloaded it binds to Muster, and notes nothing. So Muster holds the other object.
#pragma once

#include "runtime-hooks/loaded_objects.h"
#include "runtime-hooks/unloading.h"

namespace muster {

// The calls of `symbol` from `caller` go to `function`, of `its_object`. Takes the loader's locks.
void hold_for(const LoadedObject& caller, const LoadedObject& its_object, const void* function,
              const char* symbol);

// For when_unloaded().
void release_held(const Gone& gone);

// Hands over a handle that is to be closed where that can be done.
void release_later(void* handle);

// Lets go of what nobody needs any more, after an unloading.
void let_released_go();

void held_objects_after_fork();

}  // namespace muster
