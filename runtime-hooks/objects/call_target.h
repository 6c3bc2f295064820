// Where a call would go if Muster were not there, symbol by symbol, as the dynamic loader decides.
// Unlike binding_of() (runtime.h) it takes no note of the runtime: asking has no effect on it.
#pragma once

#include <cstdint>

namespace muster {

struct CallTarget {
  void* function = nullptr;  // null: nobody has it
  std::uintptr_t begin = 0;  // the calling object's address range; empty for code that is in none
  std::uintptr_t end = 0;
  bool from_itself = false;  // the object calls a function of its own, as the runtimes do
};

// Slow (some us). Takes none of Muster's locks; the loader's, unless the object has the symbol itself.
CallTarget call_target_of(const void* caller, const char* symbol);

}  // namespace muster
