#include "runtime-hooks/unknown_entries.h"

#include <link.h>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace muster {
namespace {

constexpr const char* kKnown[] = {
#include "known_names.inc"
};

constexpr bool comes_before(const char* left, const char* right) {
  for (; *left != '\0' && *left == *right; ++left, ++right) {
  }
  return static_cast<unsigned char>(*left) < static_cast<unsigned char>(*right);
}
static_assert(std::is_sorted(std::begin(kKnown), std::end(kKnown), comes_before));

bool is_internal(const char* name) {
#define MUSTER_NAME(text) \
  if (std::strcmp(name, text) == 0) return true;
#define MUSTER_PREFIX(text) \
  if (std::strncmp(name, text, sizeof(text) - 1) == 0) return true;
#include "internal_names.inc"
#undef MUSTER_PREFIX
#undef MUSTER_NAME
  return false;
}

bool is_known(const char* name) {
  return std::binary_search(std::begin(kKnown), std::end(kKnown), name, comes_before) ||
         is_internal(name);
}

// An object's dynamic symbols, from its own tables (the ELF gABI and the GNU hash table).
struct Symbols {
  const ElfW(Sym) * table = nullptr;
  const char* strings = nullptr;
  std::size_t count = 0;
};

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
const T* table_at(const dl_phdr_info& object, ElfW(Addr) place) {
  return reinterpret_cast<const T*>(place < object.dlpi_addr ? place + object.dlpi_addr : place);
}

Symbols symbols_of(const dl_phdr_info& object) {
  const ElfW(Dyn)* entry = nullptr;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    if (object.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    entry = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
  }
  Symbols symbols;
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    const ElfW(Addr) place = entry->d_un.d_ptr;
    if (entry->d_tag == DT_SYMTAB) symbols.table = table_at<ElfW(Sym)>(object, place);
    if (entry->d_tag == DT_STRTAB) symbols.strings = table_at<char>(object, place);
    if (entry->d_tag == DT_HASH) symbols.count = table_at<std::uint32_t>(object, place)[1];
    if (entry->d_tag == DT_GNU_HASH && symbols.count == 0)
      symbols.count = count_by_gnu_hash(table_at<std::uint32_t>(object, place));
  }
  return symbols;
}

const char* first_unknown(const Symbols& symbols) {
  for (std::size_t i = 0; i < symbols.count; ++i) {
    const ElfW(Sym)& symbol = symbols.table[i];
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);  // the same in both classes
    if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) continue;
    if (type != STT_FUNC && type != STT_GNU_IFUNC) continue;
    if (const char* name = symbols.strings + symbol.st_name; !is_known(name)) return name;
  }
  return nullptr;
}

struct Search {
  const Runtime& runtime;
  const char* unknown;
};

int look_into(dl_phdr_info* info, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    const auto begin = reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr);
    if (segment.p_type != PT_LOAD || !search.runtime.contains(begin)) continue;
    const Symbols symbols = symbols_of(*info);
    const bool readable = symbols.table != nullptr && symbols.strings != nullptr;
    search.unknown = readable ? first_unknown(symbols) : "(no symbol table)";
    return 1;
  }
  return 0;
}

}  // namespace

const char* unknown_entry_point(const Runtime& runtime) {
  Search search{runtime, "(not found)"};
  dl_iterate_phdr(look_into, &search);
  return search.unknown;
}

}  // namespace muster
