// An object's dynamic symbols, from its own tables (the ELF gABI, GNU's hash table and symbol versions).
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

#include "runtime-hooks/objects/loaded_objects.h"

namespace muster {

// As strcmp, which a sanitizer that is starting up defines itself, and which is not ready when it calls dlsym.
inline bool is_same_text(const char* left, const char* right) {
  while (*left != '\0' && *left == *right) {
    ++left;
    ++right;
  }
  return *left == *right;
}

struct DynamicSymbols {
  const ElfW(Sym) * table = nullptr;
  const char* strings = nullptr;
  const std::uint32_t* hash = nullptr;      // the gABI's table, which many objects lack
  const std::uint32_t* gnu_hash = nullptr;  // null: symbols are searched one by one
  const ElfW(Half) * versions = nullptr;    // by symbol
  const ElfW(Verdef) * defined = nullptr;   // names of its own symbols' versions
  const ElfW(Verneed) * needed = nullptr;   // names of the versions that it needs
  const ElfW(Rela) * references[2] = {};    // of data and of the procedure linkage table
  std::size_t reference_counts[2] = {};
  std::size_t without_symbol = 0;  // how many of references[0] refer to no symbol; they come first

  bool readable() const { return table != nullptr && strings != nullptr; }
  const char* name(std::size_t i) const { return strings + table[i].st_name; }
};

// Valid for as long as the object is loaded.
DynamicSymbols dynamic_symbols_of(const LoadedObject& object);

// The number of symbols. 0 for a program that defines none and has only GNU's hash table, which lists definitions.
std::size_t symbol_count(const DynamicSymbols& symbols);

// How the object refers to another object's `symbol`.
struct Reference {
  bool found = false;
  bool weak = false;              // it may be undefined
  const char* version = nullptr;  // null: any
};
Reference reference_to(const DynamicSymbols& symbols, const char* symbol);
// The version of another object's symbol; null: any.
const char* version_of(const DynamicSymbols& symbols, std::size_t i);

// Calls visit(relocation) for each relocation against another object's symbol.
using RelocationVisitor = void (*)(const DynamicSymbols& symbols, const ElfW(Rela) & relocation,
                                   void* data);
void for_each_relocation(const DynamicSymbols& symbols, RelocationVisitor visit, void* data);

// Calls visit(i) with the index of each symbol of another object that the code refers to; some come twice.
using ReferenceVisitor = void (*)(const DynamicSymbols& symbols, std::size_t i, void* data);
void for_each_reference(const DynamicSymbols& symbols, ReferenceVisitor visit, void* data);

// The object's exported definition of `symbol`: of `version` or without a version, as the loader would choose; for a
// null `version`, the default one. Null if there is none. Takes none of the loader's locks, which another thread may
// hold for any time, in a constructor.
const ElfW(Sym) *
    definition_of(const DynamicSymbols& symbols, const char* symbol, const char* version);

// Whether the object has several functions of that name, for different versions.
bool differs_by_version(const DynamicSymbols& symbols, const char* symbol);

// Whether one of the object's definitions of `symbol` has no version, and so matches references to any version.
bool defines_without_version(const DynamicSymbols& symbols, const char* symbol);

}  // namespace muster
