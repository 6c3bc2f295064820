// The distance that keeps two variables from sharing a line.
#pragma once

#include <cstddef>

namespace muster {

// The real coherence granule, in bytes: 128 where the hardware fetches 64-byte lines in adjacent
// pairs (x86) or has 128-byte lines (POWER, some AArch64), 256 on s390x. A layout may use a larger
// stride that the topology reports (topology.h), never a smaller one.
#if defined(__s390x__)
inline constexpr std::size_t kCoherenceGranule = 256;
#else
inline constexpr std::size_t kCoherenceGranule = 128;
#endif

}  // namespace muster
