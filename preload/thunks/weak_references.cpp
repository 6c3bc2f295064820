// Weak references to the runtimes' names, in a program that starts without an OpenMP runtime. The loader has bound
// them to Muster's thunks, so the program would conclude that OpenMP is present. This sets them to null, as without
// Muster.
//
// Runs in Muster's constructor, while there is one thread and all objects are relocated. Writes only words that hold
// a thunk's address because of a weak reference to its name, if no other object in the loader's search order defines
// that name. The program can observe nothing but the null.
//
// Not covered: objects that are loaded later, and constructors that run before Muster's. They get the serial OpenMP
// (preload/serial/).
#include "preload/thunks/weak_references.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdint>

#include "preload/thunks/thunks.h"
#include "runtime-hooks/objects/dynamic_symbols.h"
#include "runtime-hooks/objects/loaded_objects.h"
#include "runtime-hooks/objects/relocated_words.h"

namespace muster {
namespace {

// A weak reference to a name that Muster exports.
struct Found {
  const char* name;
  std::uintptr_t* word;
  bool read_only;  // after relocation (RELRO)
};

struct Search {
  static constexpr unsigned kMost = 256;  // further ones are left unchanged
  Found found[kMost];
  unsigned count = 0;
  std::uintptr_t base = 0;  // of the current object; below, its part that is read-only
  ReadOnlyPart read_only;
};

void look_at(const DynamicSymbols& symbols, const ElfW(Rela) & relocation, void* data) {
  auto& search = *static_cast<Search*>(data);
  const std::size_t i = ELF64_R_SYM(relocation.r_info);
  if (ELF64_ST_BIND(symbols.table[i].st_info) != STB_WEAK || search.count == Search::kMost) return;
  if (!has_thunk(symbols.name(i))) return;
  auto* word = reinterpret_cast<std::uintptr_t*>(search.base + relocation.r_offset);
  search.found[search.count++] = {symbols.name(i), word, search.read_only.contains(word)};
}

void look_into(const LoadedObject& object, const dl_phdr_info& info, Search& search) {
  search.base = object.base;
  search.read_only = read_only_part(info);
  if (object.dynamic != nullptr) for_each_relocation(dynamic_symbols_of(object), look_at, &search);
}

}  // namespace

void hide_from_weak_references() {
  Search search;
  for_each_object([&](const LoadedObject& object, const dl_phdr_info& info) {
    look_into(object, info, search);
    return false;
  });
  if (search.count == 0) return;
  const LoadedObject muster = object_of(reinterpret_cast<const void*>(&hide_from_weak_references));
  for (unsigned i = 0; i < search.count; ++i) {
    const Found& found = search.found[i];
    if (*found.word != reinterpret_cast<std::uintptr_t>(defined_by(muster, found.name))) continue;
    // If the kernel refuses, the reference is left unchanged.
    if (dlsym(RTLD_NEXT, found.name) == nullptr) set_word(found.word, found.read_only, 0);
  }
}

}  // namespace muster
