// Zeroed memory directly from the kernel. Muster does not use the host program's malloc: it may be the program's own,
// instrumented, or in the middle of a call.
#pragma once

#include <sys/mman.h>

#include <cerrno>
#include <cstddef>

namespace muster {

// Null if the kernel has no more; the caller then leaves the barrier to the runtime.
inline void* map_pages(std::size_t bytes) {
  const int saved = errno;
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  errno = saved;
  return pages == MAP_FAILED ? nullptr : pages;
}

inline void unmap_pages(void* pages, std::size_t bytes) {
  const int saved = errno;
  if (pages != nullptr) munmap(pages, bytes);
  errno = saved;
}

}  // namespace muster
