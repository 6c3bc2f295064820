// Where the calling thread is in region folding: one byte per thread, which folding/ writes and the thunks of the
// runtime's entry points (preload/thunks/) read in machine code.
#pragma once

#include <cstdint>

namespace muster {

// One bit each, so that a thunk tests for any of several states at once. Those that are tested together are neighbours,
// as AArch64 requires of a constant.
enum class FoldState : std::uint8_t {
  kNoFold =
      0,  // it opens or closes its fold just now, or it has begun to end and opens none any more
  kSerialPart = 1,      // the primary thread of an open fold, between two regions
  kInactiveRegion = 2,  // that thread, in a region of one thread that the runtime knows nothing of
  kFoldedRegion = 4,    // any thread of a folded region
  kMayFold = 8,         // a root thread that has a fold, which is closed
  kNew = 16,            // a thread that has none so far: a root thread, or one of the runtime's
};

extern "C" thread_local constinit FoldState t_muster_fold_state
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

inline bool in_serial_part() { return t_muster_fold_state == FoldState::kSerialPart; }
inline bool in_inactive_region() { return t_muster_fold_state == FoldState::kInactiveRegion; }
inline bool in_folded_region() { return t_muster_fold_state == FoldState::kFoldedRegion; }

}  // namespace muster
