// Whether the calling thread is in a fold, and where: folding/ writes it, what is below reads it. One byte
// per thread, which the thunks of the runtime's entry points (preload/thunks/) look at.
#pragma once

#include <cstdint>

namespace muster {

inline constexpr std::uint8_t kInSerialPart = 1;  // the fold's primary thread, between two regions
inline constexpr std::uint8_t kInFoldedRegion = 2;  // any thread of a folded region
inline constexpr std::uint8_t kMayFold = 4;  // a root thread that has a fold, which is not open
inline constexpr std::uint8_t kNew = 8;      // has none so far: a root thread, or a runtime's own
// None of them: a thread that has begun to end, and folds no more.

extern "C" thread_local constinit std::uint8_t t_muster_watches
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

}  // namespace muster
