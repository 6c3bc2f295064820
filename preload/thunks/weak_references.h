// Programs that ask by weak references whether OpenMP is there.
#pragma once

namespace muster {

// When the library is loaded, before the program has begun.
void hide_from_weak_references();

}  // namespace muster
