#include "runtime-hooks/runtimes/unknown_entries.h"

#include <link.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "runtime-hooks/objects/dynamic_symbols.h"

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

const char* first_unknown(const DynamicSymbols& symbols) {
  const std::size_t count = symbol_count(symbols);
  for (std::size_t i = 0; i < count; ++i) {
    const ElfW(Sym)& symbol = symbols.table[i];
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);  // the same in both classes
    if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) continue;
    if (type != STT_FUNC && type != STT_GNU_IFUNC) continue;
    if (const char* name = symbols.name(i); !is_known(name)) return name;
  }
  return nullptr;
}

}  // namespace

const char* unknown_entry_point(const Runtime& runtime) {
  const DynamicSymbols symbols = dynamic_symbols_of(runtime.object);
  return symbols.readable() ? first_unknown(symbols) : "(no symbol table)";
}

}  // namespace muster
