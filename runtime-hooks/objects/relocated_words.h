// The words that the loader has set in an object because of its references to a symbol: pointers to functions, and the
// procedure linkage table's.
#pragma once

#include <link.h>

#include <cstdint>

#include "runtime-hooks/objects/loaded_objects.h"

namespace muster {

// The part of an object that is read-only after relocation (RELRO), as the loader rounds it; empty without one.
struct ReadOnlyPart {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool contains(const void* word) const {
    return reinterpret_cast<std::uintptr_t>(word) - begin < end - begin;
  }
  // The last that the loader does when it relocates an object. True without such a part.
  bool is_protected() const;
};
ReadOnlyPart read_only_part(const dl_phdr_info& info);

// Writes a word. False if the kernel refuses. To be called when the loader has finished with the object.
bool set_word(std::uintptr_t* word, bool read_only, std::uintptr_t value);

// Whether the page is not read-only. Asks the kernel, which adds 0 to the word.
bool is_writable(std::uintptr_t* word);

void words_after_fork();

// Sets all words of an object that refer to `symbol`, its own or another's, until restore().
class RedirectedSymbol {
 public:
  // How many words were set.
  unsigned redirect(const LoadedObject& object, const char* symbol, const void* function);
  void restore();

 private:
  static constexpr unsigned kMost = 8;  // further ones are left unchanged
  struct Saved {
    std::uintptr_t* word;
    std::uintptr_t value;
    bool read_only;
  };
  Saved saved_[kMost];
  unsigned count_ = 0;
};

}  // namespace muster
