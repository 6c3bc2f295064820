// Handles of objects that were kept for a while. They are given back where an object may be unloaded: in
// a dlclose of the program's, which is there for that.
#pragma once

namespace muster {

// Null is ignored. One that finds no room keeps its object for ever.
void close_later(void* handle);

// Lets go of what has been released since.
void close_deferred();

void deferred_dlclose_after_fork();

}  // namespace muster
