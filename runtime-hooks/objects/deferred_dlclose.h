// Deferred dlclose: handles that kept an object loaded for a while. They are closed where the program expects that an
// object may be unloaded, in a dlclose of its own.
#pragma once

namespace muster {

// Null is ignored. If the list is full, the object stays loaded for the rest of the process.
void close_later(void* handle);

// Closes the handles on the list.
void close_deferred();

void deferred_dlclose_after_fork();

}  // namespace muster
