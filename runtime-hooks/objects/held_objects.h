// Handles of objects that were kept for a while. They are given back where an object may be unloaded: in
// a dlclose of the program's, which is there for that.
#pragma once

namespace muster {

// Null is ignored. One that finds no room keeps its object for ever.
void release_later(void* handle);

// Lets go of what has been released since.
void let_released_go();

void held_objects_after_fork();

}  // namespace muster
