// Where the thunks go on, found before it is needed.
#pragma once

#include "runtime-hooks/objects/loaded_objects.h"
#include "runtime-hooks/objects/unloading.h"

namespace muster {

struct Runtime;

// Finds the destinations of all that the object may call, when its GOMP_* or its __kmpc_* are bound to
// `runtime`. Called when the object first forks: its threads must not ask the loader later, while another
// thread, perhaps their own team's, keeps the loader's lock in the constructor of something that it loads.
// An object that never forks is looked up call by call. Some us for each name that it refers to.
void find_call_targets(const LoadedObject& caller, const Runtime& runtime, bool gomp);

// Whether Muster shows a thunk with that name.
bool has_thunk(const char* name);

// For when_unloaded(): of the runtimes' names, and of the C library's.
void forget_call_targets(const Gone& gone);
void forget_choices(const Gone& gone);

void choices_after_fork();

}  // namespace muster
