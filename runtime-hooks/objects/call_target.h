// Which function a call would reach without Muster, symbol by symbol, as the dynamic loader decides. Unlike
// binding_of() (runtime.h), a lookup registers no runtime and has no effect on one.
#pragma once

#include <cstdint>

namespace muster {

struct CallTarget {
  void* function = nullptr;  // null: no object defines it
  // The calling object's address range; empty for code outside any object.
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool from_itself = false;  // the object calls its own function, as the runtimes do
};

// Slow (some us). Takes none of Muster's locks, but the loader's unless the object defines the symbol itself.
CallTarget call_target_of(const void* caller, const char* symbol);

}  // namespace muster
