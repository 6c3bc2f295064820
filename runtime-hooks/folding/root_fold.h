// The fold of a root thread: a thread that runs regions at level 0. It is made when the thread first needs it, and
// belongs to the thread's state, which a later thread may use again.
#pragma once

#include "runtime-hooks/folding/fold.h"
#include "runtime-hooks/teams/thread_state.h"

namespace muster {

// For a thread in FoldState::kNew: makes its fold. Null inside a region, according to frames and to `runtime`, if
// known; for a runtime that is not replaced, whose threads get no state; and without memory.
Fold* make_root_fold(const Runtime* runtime);

// The calling thread's fold, outside of regions; null inside a folded region and for a thread that ends.
inline Fold* root_fold(const Runtime* runtime) {
  const FoldState state = t_muster_fold_state;
  if (state == FoldState::kSerialPart || state == FoldState::kMayFold) [[likely]]
    return t_thread_state->fold;
  return state == FoldState::kNew ? make_root_fold(runtime) : nullptr;
}

// Runs the region in the calling thread's fold. Otherwise returns the reason, and the real runtime must fork it.
Unfolded run_folded(const RegionCall& call);

// Before the calling thread unloads an object. It cannot close other threads' folds, so their runtimes stay loaded.
void keep_runtimes_of_other_folds();

// Scope in which the calling thread may unload a runtime: its fold is closed before, and regions in destructors open
// none.
class BeforeUnloading {
 public:
  explicit BeforeUnloading(CallSite site);
  ~BeforeUnloading();
  BeforeUnloading(const BeforeUnloading&) = delete;
  BeforeUnloading& operator=(const BeforeUnloading&) = delete;

 private:
  Fold* fold_ = nullptr;
  bool was_ending_ = false;
  bool was_new_ = false;
};

// Arranges that folds are closed when their threads end. To be called when the library is loaded, and before any
// thread-specific key is made.
void reserve_fold_ends();

// Closes the fold of the calling thread, which is about to end itself.
void end_fold_of_thread();

// In the child of a fork, where no fold's threads exist.
void folds_after_fork();

}  // namespace muster
