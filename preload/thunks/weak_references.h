// Programs that use weak references to find out whether OpenMP is present.
#pragma once

namespace muster {

// To be called when the library is loaded, before the program starts.
void hide_from_weak_references();

}  // namespace muster
