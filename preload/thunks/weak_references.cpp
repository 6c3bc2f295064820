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
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "preload/thunks/thunks.h"
#include "runtime-hooks/objects/dynamic_symbols.h"
#include "runtime-hooks/objects/loaded_objects.h"

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
  std::uintptr_t base = 0;  // of the current object; below, its read-only range
  std::uintptr_t read_only_begin = 0;
  std::uintptr_t read_only_end = 0;
};

std::uintptr_t page_size() { return static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE)); }

void look_at(const DynamicSymbols& symbols, const ElfW(Rela) & relocation, void* data) {
  auto& search = *static_cast<Search*>(data);
  const std::size_t i = ELF64_R_SYM(relocation.r_info);
  if (ELF64_ST_BIND(symbols.table[i].st_info) != STB_WEAK || search.count == Search::kMost) return;
  if (!has_thunk(symbols.name(i))) return;
  const std::uintptr_t word = search.base + relocation.r_offset;
  const bool read_only =
      word - search.read_only_begin < search.read_only_end - search.read_only_begin;
  search.found[search.count++] = {symbols.name(i), reinterpret_cast<std::uintptr_t*>(word),
                                  read_only};
}

void look_into(const LoadedObject& object, const dl_phdr_info& info, Search& search) {
  search.base = object.base;
  search.read_only_begin = search.read_only_end = 0;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_GNU_RELRO) continue;
    search.read_only_begin = info.dlpi_addr + segment.p_vaddr;
    search.read_only_end =
        (search.read_only_begin + segment.p_memsz) & ~(page_size() - 1);  // as the loader rounds it
  }
  if (object.dynamic != nullptr) for_each_relocation(dynamic_symbols_of(object), look_at, &search);
}

// If the kernel refuses, the reference is left unchanged.
void set_null(const Found& found) {
  if (!found.read_only) {
    *found.word = 0;
    return;
  }
  const std::uintptr_t page = page_size();
  void* begin = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(found.word) & ~(page - 1));
  if (mprotect(begin, page, PROT_READ | PROT_WRITE) != 0) return;
  *found.word = 0;
  mprotect(begin, page, PROT_READ);
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
    if (dlsym(RTLD_NEXT, found.name) == nullptr) set_null(found);
  }
}

}  // namespace muster
