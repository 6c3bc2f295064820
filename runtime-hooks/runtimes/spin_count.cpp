#include "runtime-hooks/runtimes/spin_count.h"

#include <link.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "runtime-hooks/objects/relocated_words.h"

namespace muster {
namespace {

// A compiler puts variables that are used together close to each other, but not always side by side.
constexpr std::ptrdiff_t kNear = 8;

// In a segment of the object; what is read-only after relocation, at its beginning, is left out.
std::uint64_t* find_in(const dl_phdr_info& info, const ElfW(Phdr) & segment) {
  const std::uintptr_t start = info.dlpi_addr + segment.p_vaddr;
  const ReadOnlyPart constant = read_only_part(info);
  constexpr std::uintptr_t kWord = sizeof(std::uint64_t);
  // The constant part ends at a page, which may be the one where the segment starts.
  const std::uintptr_t first = constant.begin == start ? std::max(constant.end, start) : start;
  const std::uintptr_t begin = (first + kWord - 1) / kWord * kWord;
  const std::uintptr_t end = (start + segment.p_memsz) / kWord * kWord;
  if (end <= begin) return nullptr;
  return find_spin_count(reinterpret_cast<std::uint64_t*>(begin),
                         reinterpret_cast<std::uint64_t*>(end));
}

// Several segments can be written where a tool has added one, as those that make Python wheels do.
std::uint64_t* find_in_object(const dl_phdr_info& info) {
  std::uint64_t* found = nullptr;
  for (std::size_t i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) == 0) continue;
    std::uint64_t* const word = find_in(info, segment);
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
