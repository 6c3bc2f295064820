// How a team's state is laid out in memory: an arena of pages of its own, arrays with one element per granule, and what
// the topology tells about both.
#pragma once

#include <bit>
#include <cstddef>
#include <new>

#include "platform/cache_line.h"
#include "platform/pages.h"

namespace muster {

inline constexpr unsigned kMaxTeam = 1024;  // larger teams use the runtime's barrier
inline constexpr unsigned kMaxTreeLevels = 12;

// Granules do not fully separate neighbours: prefetchers that follow a thread's accesses run ahead over several lines
// and take them from the threads that write there. They stop at a 4 KB page. With one page per element, lines stay
// where they are used (docs/understand/barriers.md). Elements at the same offset in their pages share a set of the
// first-level cache, so this is for teams that are small compared with its 8 to 12 ways.
inline constexpr std::size_t kPrefetchersStopAt = 4096;
inline constexpr unsigned kPagesPayUpTo = 4;

struct Layout {
  std::size_t stride = kCoherenceGranule;  // bytes between two padded elements, a power of two
  // Fan-in of the tree from the leaves up; a level of 0 ends the list, the last one repeats.
  unsigned radix[kMaxTreeLevels] = {4};
};

// Zeroed memory that is handed out in pieces and freed as a whole. No destructors run: the state here is trivially
// destructible.
class Arena {
 public:
  Arena() = default;
  ~Arena() { unmap_pages(begin_, size_); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // To be called once, before the first take(). False if there is no memory.
  bool reserve(std::size_t bytes) {
    unmap_pages(begin_, size_);
    begin_ = static_cast<std::byte*>(map_pages(bytes));
    size_ = begin_ != nullptr ? bytes : 0;
    used_ = 0;
    return begin_ != nullptr;
  }

  // Aligned to at least kCoherenceGranule. Null if the caller reserved too little.
  void* take(std::size_t bytes, std::size_t alignment = kCoherenceGranule) {
    const std::size_t begin = (used_ + alignment - 1) & ~(alignment - 1);
    if (begin + bytes > size_) return nullptr;
    used_ = begin + bytes;
    return begin_ + begin;
  }

 private:
  std::byte* begin_ = nullptr;
  std::size_t size_ = 0;
  std::size_t used_ = 0;
};

// `count` elements, each on a granule of its own.
template <class Element>
class PaddedArray {
 public:
  PaddedArray() = default;  // no elements
  PaddedArray(Arena& arena, std::size_t count, const Layout& layout)
      : shift_(static_cast<unsigned>(std::countr_zero(stride(layout)))),
        begin_(static_cast<std::byte*>(arena.take(bytes(count, layout), stride(layout)))) {
    for (std::size_t i = 0; i < count; ++i)
      ::new (static_cast<void*>(begin_ + (i << shift_))) Element();
  }

  Element& operator[](std::size_t i) const {
    return *std::launder(reinterpret_cast<Element*>(begin_ + (i << shift_)));
  }

  // The number of bytes that take() needs at most, including alignment.
  static std::size_t bytes(std::size_t count, const Layout& layout) {
    return count * stride(layout);
  }

 private:
  static std::size_t stride(const Layout& layout) {
    const std::size_t least = std::bit_ceil(sizeof(Element));
    return layout.stride > least ? layout.stride : least;
  }

  unsigned shift_ = 0;
  std::byte* begin_ = nullptr;
};

}  // namespace muster
