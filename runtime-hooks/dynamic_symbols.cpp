#include "runtime-hooks/dynamic_symbols.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace muster {
namespace {

constexpr ElfW(Half) kVersionOnly = 0x7fff;  // the other bit: not the default version
constexpr ElfW(Half) kFirstVersion = 2;      // 0: local, 1: global, both without a version

std::size_t count_by_gnu_hash(const std::uint32_t* hash) {
  const std::uint32_t bucket_count = hash[0];
  const std::uint32_t first = hash[1];
  const std::uint32_t* buckets = hash + 4 + hash[2] * (sizeof(ElfW(Addr)) / sizeof(*hash));
  const std::uint32_t* chain = buckets + bucket_count;
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < bucket_count; ++i) last = std::max(last, buckets[i]);
  if (last < first) return 0;
  while ((chain[last - first] & 1) == 0) ++last;  // the last bucket's end is that of the table
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
    if (entry->d_tag == DT_HASH) symbols.count = table_at<std::uint32_t>(object, place)[1];
    if (entry->d_tag == DT_GNU_HASH && symbols.count == 0)
      symbols.count = count_by_gnu_hash(table_at<std::uint32_t>(object, place));
    if (entry->d_tag == DT_VERSYM) symbols.versions = table_at<ElfW(Half)>(object, place);
    if (entry->d_tag == DT_VERNEED) symbols.needed = table_at<ElfW(Verneed)>(object, place);
    if (entry->d_tag == DT_RELA) symbols.references[0] = table_at<ElfW(Rela)>(object, place);
    if (entry->d_tag == DT_RELASZ) symbols.reference_counts[0] = references;
    if (entry->d_tag == DT_JMPREL) symbols.references[1] = table_at<ElfW(Rela)>(object, place);
    if (entry->d_tag == DT_PLTRELSZ) symbols.reference_counts[1] = references;
  }
  return symbols;
}

// By the relocations, not by the symbols: these cannot always be counted.
Reference reference_to(const DynamicSymbols& symbols, const char* symbol) {
  if (!symbols.readable()) return {};
  for (int kind = 0; kind < 2; ++kind) {
    if (symbols.references[kind] == nullptr) continue;
    for (std::size_t i = 0; i < symbols.reference_counts[kind]; ++i) {
      const std::size_t which = ELF64_R_SYM(symbols.references[kind][i].r_info);
      if (which == 0 || symbols.table[which].st_shndx != SHN_UNDEF) continue;
      if (std::strcmp(symbols.name(which), symbol) != 0) continue;
      const ElfW(Half) version =
          symbols.versions != nullptr ? symbols.versions[which] & kVersionOnly : 0;
      return {true, version >= kFirstVersion ? version_name(symbols, version) : nullptr};
    }
  }
  return {};
}

bool defines_without_version(const DynamicSymbols& symbols, const char* symbol) {
  if (!symbols.readable()) return false;
  for (std::size_t i = 0; i < symbols.count; ++i) {
    if (symbols.table[i].st_shndx == SHN_UNDEF) continue;
    if (std::strcmp(symbols.name(i), symbol) != 0) continue;
    if (symbols.versions == nullptr || (symbols.versions[i] & kVersionOnly) < kFirstVersion)
      return true;
  }
  return false;
}

}  // namespace muster
