#include "runtime-hooks/objects/dynamic_symbols.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace muster {
namespace {

constexpr ElfW(Half) kVersionOnly = 0x7fff;  // the other bit: not the default version
constexpr ElfW(Half) kFirstVersion = 2;      // 0: local, 1: global, both without a version

// GNU's hash table (DT_GNU_HASH): symbols in buckets, each with a chain of hashes of which the last has its lowest bit
// set.
struct GnuHash {
  explicit GnuHash(const std::uint32_t* table)
      : bucket_count(table[0]),
        first(table[1]),
        filter(reinterpret_cast<const ElfW(Addr) *>(table + 4)),
        filter_mask(table[2] - 1),
        filter_shift(table[3]),
        buckets(table + 4 + table[2] * (sizeof(ElfW(Addr)) / sizeof(*table))),
        chain(buckets + bucket_count) {}

  static std::uint32_t of(const char* name) {
    std::uint32_t hash = 5381;
    for (; *name != '\0'; ++name) hash = hash * 33 + static_cast<unsigned char>(*name);
    return hash;
  }

  std::uint32_t entry(std::size_t symbol) const { return chain[symbol - first]; }
  // False: no symbol has that hash.
  bool may_have(std::uint32_t hash) const {
    constexpr unsigned kBits = 8 * sizeof(*filter);
    const ElfW(Addr) word = filter[(hash / kBits) & filter_mask];
    return ((word >> (hash % kBits)) & (word >> ((hash >> filter_shift) % kBits)) & 1) != 0;
  }
  static bool ends_bucket(std::uint32_t entry) { return (entry & 1) != 0; }

  const std::uint32_t bucket_count;
  const std::uint32_t first;  // the first symbol in the table
  const ElfW(Addr) * const filter;
  const std::uint32_t filter_mask;
  const std::uint32_t filter_shift;
  const std::uint32_t* const buckets;
  const std::uint32_t* const chain;
};

std::size_t count(const GnuHash& hash) {
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < hash.bucket_count; ++i) last = std::max(last, hash.buckets[i]);
  if (last < hash.first) return 0;
  while (!GnuHash::ends_bucket(hash.entry(last))) ++last;  // the last chain ends with the table
  return last + 1;
}

// The loader has relocated most objects' tables, but not all.
template <class T>
const T* table_at(const LoadedObject& object, ElfW(Addr) place) {
  return reinterpret_cast<const T*>(place < object.base ? place + object.base : place);
}

template <class T>
const T* further(const T* from, std::size_t bytes) {
  return reinterpret_cast<const T*>(reinterpret_cast<const char*>(from) + bytes);
}

// Calls accept(index) for the symbols that may have the name, until it returns true.
template <class Accept>
void search(const DynamicSymbols& symbols, const char* name, Accept accept) {
  if (symbols.gnu_hash == nullptr) {
    for (std::size_t i = 0; i < symbol_count(symbols); ++i) {
      if (accept(i)) return;
    }
    return;
  }
  const GnuHash table(symbols.gnu_hash);
  if (table.bucket_count == 0) return;
  const std::uint32_t hash = GnuHash::of(name);
  if (!table.may_have(hash)) return;
  std::uint32_t i = table.buckets[hash % table.bucket_count];
  if (i < table.first) return;
  for (;; ++i) {
    const std::uint32_t entry = table.entry(i);
    if ((entry | 1) == (hash | 1) && accept(i)) return;
    if (GnuHash::ends_bucket(entry)) return;
  }
}

bool is_definition(const DynamicSymbols& symbols, std::size_t i, const char* name) {
  const ElfW(Sym)& symbol = symbols.table[i];
  const unsigned binding = ELF64_ST_BIND(symbol.st_info);  // the same in both classes
  const unsigned visibility = ELF64_ST_VISIBILITY(symbol.st_other);
  return symbol.st_shndx != SHN_UNDEF && binding != STB_LOCAL &&
         (visibility == STV_DEFAULT || visibility == STV_PROTECTED) &&
         is_same_text(symbols.name(i), name);
}

const char* defined_version_name(const DynamicSymbols& symbols, ElfW(Half) version) {
  const ElfW(Verdef)* entry = symbols.defined;
  while (entry != nullptr) {
    if ((entry->vd_ndx & kVersionOnly) == version) {
      const auto* name = reinterpret_cast<const ElfW(Verdaux)*>(further(entry, entry->vd_aux));
      return symbols.strings + name->vda_name;
    }
    entry = entry->vd_next != 0 ? further(entry, entry->vd_next) : nullptr;
  }
  return nullptr;
}

const char* version_name(const DynamicSymbols& symbols, ElfW(Half) version) {
  const ElfW(Verneed)* file = symbols.needed;
  while (file != nullptr) {
    const auto* entry = reinterpret_cast<const ElfW(Vernaux)*>(further(file, file->vn_aux));
    for (unsigned i = 0; i < file->vn_cnt; ++i, entry = further(entry, entry->vna_next)) {
      if ((entry->vna_other & kVersionOnly) == version) return symbols.strings + entry->vna_name;
    }
    file = file->vn_next != 0 ? further(file, file->vn_next) : nullptr;
  }
  return nullptr;
}

}  // namespace

DynamicSymbols dynamic_symbols_of(const LoadedObject& object) {
  DynamicSymbols symbols;
  const auto* entry = static_cast<const ElfW(Dyn)*>(object.dynamic);
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    const ElfW(Addr) place = entry->d_un.d_ptr;
    const std::size_t references = entry->d_un.d_val / sizeof(ElfW(Rela));
    if (entry->d_tag == DT_SYMTAB) symbols.table = table_at<ElfW(Sym)>(object, place);
    if (entry->d_tag == DT_STRTAB) symbols.strings = table_at<char>(object, place);
    if (entry->d_tag == DT_HASH) symbols.hash = table_at<std::uint32_t>(object, place);
    if (entry->d_tag == DT_GNU_HASH) symbols.gnu_hash = table_at<std::uint32_t>(object, place);
    if (entry->d_tag == DT_VERDEF) symbols.defined = table_at<ElfW(Verdef)>(object, place);
    if (entry->d_tag == DT_VERSYM) symbols.versions = table_at<ElfW(Half)>(object, place);
    if (entry->d_tag == DT_VERNEED) symbols.needed = table_at<ElfW(Verneed)>(object, place);
    if (entry->d_tag == DT_RELA) symbols.references[0] = table_at<ElfW(Rela)>(object, place);
    if (entry->d_tag == DT_RELASZ) symbols.reference_counts[0] = references;
    if (entry->d_tag == DT_RELACOUNT) symbols.without_symbol = entry->d_un.d_val;
    if (entry->d_tag == DT_JMPREL) symbols.references[1] = table_at<ElfW(Rela)>(object, place);
    if (entry->d_tag == DT_PLTRELSZ) symbols.reference_counts[1] = references;
  }
  return symbols;
}

std::size_t symbol_count(const DynamicSymbols& symbols) {
  if (symbols.hash != nullptr) return symbols.hash[1];
  return symbols.gnu_hash != nullptr ? count(GnuHash(symbols.gnu_hash)) : 0;
}

// Through the relocations, not the symbols, which cannot always be counted.
void for_each_relocation(const DynamicSymbols& symbols, RelocationVisitor visit, void* data) {
  if (!symbols.readable()) return;
  for (int kind = 0; kind < 2; ++kind) {
    if (symbols.references[kind] == nullptr) continue;
    const std::size_t first = kind == 0 ? symbols.without_symbol : 0;
    for (std::size_t i = first; i < symbols.reference_counts[kind]; ++i) {
      const ElfW(Rela)& relocation = symbols.references[kind][i];
      const std::size_t which = ELF64_R_SYM(relocation.r_info);
      if (which == 0 || symbols.table[which].st_shndx != SHN_UNDEF) continue;
      visit(symbols, relocation, data);
    }
  }
}

void for_each_reference(const DynamicSymbols& symbols, ReferenceVisitor visit, void* data) {
  struct Visit {
    ReferenceVisitor visit;
    void* data;
  } its{visit, data};
  for_each_relocation(
      symbols,
      [](const DynamicSymbols& all, const ElfW(Rela) & relocation, void* inner) {
        const auto& wanted = *static_cast<const Visit*>(inner);
        wanted.visit(all, ELF64_R_SYM(relocation.r_info), wanted.data);
      },
      &its);
}

const char* version_of(const DynamicSymbols& symbols, std::size_t i) {
  const ElfW(Half) version = symbols.versions != nullptr ? symbols.versions[i] & kVersionOnly : 0;
  return version >= kFirstVersion ? version_name(symbols, version) : nullptr;
}

Reference reference_to(const DynamicSymbols& symbols, const char* symbol) {
  struct Search {
    const char* symbol;
    Reference reference;
  } search{symbol, {}};
  for_each_reference(
      symbols,
      [](const DynamicSymbols& all, std::size_t i, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        if (wanted.reference.found || !is_same_text(all.name(i), wanted.symbol)) return;
        wanted.reference = {.found = true,
                            .weak = ELF64_ST_BIND(all.table[i].st_info) == STB_WEAK,
                            .version = version_of(all, i)};
      },
      &search);
  return search.reference;
}

const ElfW(Sym) *
    definition_of(const DynamicSymbols& symbols, const char* symbol, const char* version) {
  const ElfW(Sym)* found = nullptr;
  if (!symbols.readable()) return found;
  search(symbols, symbol, [&](std::size_t i) {
    if (!is_definition(symbols, i, symbol)) return false;
    const ElfW(Half) its = symbols.versions != nullptr ? symbols.versions[i] : ElfW(Half){0};
    const ElfW(Half) number = its & kVersionOnly;
    bool exact = number == its;  // a reference without a version gets the default one
    if (version != nullptr) {
      const char* name = number >= kFirstVersion ? defined_version_name(symbols, number) : nullptr;
      exact = name != nullptr && is_same_text(name, version);
    }
    if (exact || number < kFirstVersion) found = &symbols.table[i];
    return exact;
  });
  return found;
}

bool differs_by_version(const DynamicSymbols& symbols, const char* symbol) {
  if (!symbols.readable()) return false;
  const ElfW(Sym)* first = nullptr;
  bool differs = false;
  search(symbols, symbol, [&](std::size_t i) {
    if (!is_definition(symbols, i, symbol)) return false;
    if (first == nullptr) first = &symbols.table[i];
    differs = first->st_value != symbols.table[i].st_value;
    return differs;
  });
  return differs;
}

bool defines_without_version(const DynamicSymbols& symbols, const char* symbol) {
  if (!symbols.readable()) return false;
  bool found = false;
  search(symbols, symbol, [&](std::size_t i) {
    found = is_definition(symbols, i, symbol) &&
            (symbols.versions == nullptr || (symbols.versions[i] & kVersionOnly) < kFirstVersion);
    return found;
  });
  return found;
}

}  // namespace muster
