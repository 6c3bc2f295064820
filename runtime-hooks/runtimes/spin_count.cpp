#include "runtime-hooks/runtimes/spin_count.h"

#include <link.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace muster {
namespace {

// A compiler puts variables that are used together close to each other, but not always side by side.
constexpr std::ptrdiff_t kNear = 8;

// In a part of the object that it may write; what is read-only after relocation, at its beginning, is left out.
std::uint64_t* find_in(const dl_phdr_info& info, const ElfW(Phdr) & part) {
  std::uintptr_t begin = info.dlpi_addr + part.p_vaddr;
  const std::uintptr_t end = begin + part.p_memsz;
  for (std::size_t i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& other = info.dlpi_phdr[i];
    if (other.p_type == PT_GNU_RELRO && other.p_vaddr == part.p_vaddr) begin += other.p_memsz;
  }
  constexpr std::uintptr_t kWord = sizeof(std::uint64_t);
  begin = (begin + kWord - 1) / kWord * kWord;
  if (end < begin + kWord) return nullptr;
  return find_spin_count(reinterpret_cast<std::uint64_t*>(begin),
                         reinterpret_cast<std::uint64_t*>(end / kWord * kWord));
}

// Several parts can be written where a tool has added one, as those that make Python wheels do.
std::uint64_t* find_in_object(const dl_phdr_info& info) {
  std::uint64_t* found = nullptr;
  for (std::size_t i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info.dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_W) == 0) continue;
    std::uint64_t* const word = find_in(info, part);
    if (word != nullptr && found != nullptr) return nullptr;
    if (word != nullptr) found = word;
  }
  return found;
}

}  // namespace

std::uint64_t* find_spin_count(std::uint64_t* begin, std::uint64_t* end) {
  std::uint64_t* const found = std::find(begin, end, kDefaultSpins);
  if (found == end || std::find(found + 1, end, kDefaultSpins) != end) return nullptr;
  std::uint64_t* const first = found - std::min(kNear, found - begin);
  std::uint64_t* const last = found + std::min(kNear, end - found);
  return std::find(first, last, kThrottledSpins) != last ? found : nullptr;
}

std::uint64_t* spin_count_of(const LoadedObject& libgomp) {
  if (std::getenv("GOMP_SPINCOUNT") != nullptr) return nullptr;  // it may be the default
  std::uint64_t* found = nullptr;
  for_each_object([&](const LoadedObject& object, const dl_phdr_info& info) {
    if (object.begin != libgomp.begin) return false;
    found = find_in_object(info);
    return true;
  });
  return found;
}

}  // namespace muster
