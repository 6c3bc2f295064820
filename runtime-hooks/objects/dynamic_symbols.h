// An object's dynamic symbols, as its own tables have them (the ELF gABI, GNU's hash table and symbol
// versions).
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

#include "runtime-hooks/objects/loaded_objects.h"

namespace muster {

struct DynamicSymbols {
  const ElfW(Sym) * table = nullptr;
  const char* strings = nullptr;
  const std::uint32_t* hash = nullptr;      // the gABI's table, which many objects lack
  const std::uint32_t* gnu_hash = nullptr;  // null: to be searched one by one
  const ElfW(Half) * versions = nullptr;    // by symbol
  const ElfW(Verdef) * defined = nullptr;   // what those of its own symbols stand for
  const ElfW(Verneed) * needed = nullptr;   // what those of other objects' symbols stand for
  const ElfW(Rela) * references[2] = {};    // of data and of the procedure linkage table
  std::size_t reference_counts[2] = {};
  std::size_t without_symbol = 0;  // so many of the former come first: most, in large objects

  bool readable() const { return table != nullptr && strings != nullptr; }
  const char* name(std::size_t i) const { return strings + table[i].st_name; }
};

// Valid for as long as the object is loaded.
DynamicSymbols dynamic_symbols_of(const LoadedObject& object);

// How many there are. 0 for a program that defines none and has GNU's hash table only, which has
// nothing to count then.
std::size_t symbol_count(const DynamicSymbols& symbols);

// What the object's code calls when it calls another object's `symbol`.
struct Reference {
  bool found = false;
  bool weak = false;              // it may be missing
  const char* version = nullptr;  // null: any
};
Reference reference_to(const DynamicSymbols& symbols, const char* symbol);

// Calls visit(relocation) with each place that holds the address of another object's symbol.
using RelocationVisitor = void (*)(const DynamicSymbols& symbols, const ElfW(Rela) & relocation,
                                   void* data);
void for_each_relocation(const DynamicSymbols& symbols, RelocationVisitor visit, void* data);

// Calls visit(i) with the place of each symbol of another object that the code calls; some come twice.
using ReferenceVisitor = void (*)(const DynamicSymbols& symbols, std::size_t i, void* data);
void for_each_reference(const DynamicSymbols& symbols, ReferenceVisitor visit, void* data);

// The object's own definition of `symbol`, for others to use: of `version` or of none, as the loader
// takes it; without a version, the default one. Null if there is none. Takes none of the loader's
// locks: some other thread may hold them for as long as it likes, in a constructor.
const ElfW(Sym) *
    definition_of(const DynamicSymbols& symbols, const char* symbol, const char* version);

// Whether the object has several functions of that name, each for another version.
bool differs_by_version(const DynamicSymbols& symbols, const char* symbol);

// Whether one of the object's definitions of `symbol` goes without a version, and so serves those
// who ask for any.
bool defines_without_version(const DynamicSymbols& symbols, const char* symbol);

}  // namespace muster
