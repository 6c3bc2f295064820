// The call targets of the thunks, looked up in advance.
#pragma once

#include "runtime-hooks/objects/loaded_objects.h"
#include "runtime-hooks/objects/unloading.h"

namespace muster {

struct Runtime;

// Looks up the call targets of all names that the object refers to, given that its GOMP_* or its __kmpc_* names are
// bound to `runtime`. Called when the object first forks. Its threads must not call the loader later: another thread,
// perhaps of the same team, may hold the loader's lock while it runs the constructor of something that it loads. For
// an object that never forks, each name is looked up at its first call. Takes some us for each name.
void find_call_targets(const LoadedObject& caller, const Runtime& runtime, bool gomp);

// The thunks by number.
unsigned thunk_count();
unsigned thunk_of(const char* name);  // thunk_count() if there is none
const char* thunk_name(unsigned thunk);

// Whether Muster exports a thunk of that name.
bool has_thunk(const char* name);

// More objects may be loaded next, and a call that returns to code in no object, or to one that has called by a pointer,
// may be theirs.
void forget_banks_of_ranges();

// For when_unloaded(): of the names of runtimes, and of those of the C library.
void forget_call_targets(const Gone& gone);
void forget_choices(const Gone& gone);

void choices_after_fork();

}  // namespace muster
