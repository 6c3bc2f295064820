// The distance that keeps two variables from sharing a cache line.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace muster {

// The coherence granule in bytes: 128 where the hardware fetches 64-byte lines in adjacent pairs (x86) or has 128-byte
// lines (POWER, some AArch64), 256 on s390x. A layout may use a larger stride, never a smaller one.
#if defined(__s390x__)
inline constexpr std::size_t kCoherenceGranule = 256;
#else
inline constexpr std::size_t kCoherenceGranule = 128;
#endif

// The line size of the first-level cache as the processor reports it, in bytes (256 on A64FX); 0: unknown. Opens no
// file.
inline std::size_t reported_cache_line() {
#ifdef _SC_LEVEL1_DCACHE_LINESIZE
  const int saved = errno;
  const long bytes = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
  errno = saved;
  return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
#else
  return 0;
#endif
}

}  // namespace muster
