// A fold belongs to a root thread: one that runs regions at level 0. It is made when the thread first
// needs it, kept with the thread's state, and taken over with that by a later thread.
#pragma once

#include "runtime-hooks/folding/fold.h"
#include "runtime-hooks/teams/thread_state.h"

namespace muster {

// For a thread in FoldState::kNew: makes it one that may fold. Null where it is inside a region already, as far
// as frames tell and `runtime`, if that is known; for a runtime that is not replaced, whose threads Muster
// leaves untouched; and without memory.
Fold* make_root_fold(const Runtime* runtime);

// The calling thread's, in its serial part or what may be one; null inside a folded region and for a
// thread that ends.
inline Fold* root_fold(const Runtime* runtime) {
  const FoldState state = t_muster_fold_state;
  if (state == FoldState::kSerialPart || state == FoldState::kMayFold) [[likely]]
    return t_thread_state->fold;
  return state == FoldState::kNew ? make_root_fold(runtime) : nullptr;
}

// Runs the region in the calling thread's fold. Otherwise returns the reason, and the real runtime must fork it.
Unfolded run_folded(const RegionCall& call);

// Before the calling thread unloads something: other threads' folds cannot be closed for them.
void keep_runtimes_of_other_folds();

// While the calling thread may unload a runtime: a fold that would go with it is closed before, and none
// is opened by regions of the destructors.
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

// When the library is loaded, and before anybody makes a thread-specific key: folds are closed at the ends of
// their threads.
void reserve_fold_ends();

// The calling thread is about to end itself: closes its fold, if it is open.
void end_fold_of_thread();

// In the child of a fork: all folds' threads are no more.
void folds_after_fork();

}  // namespace muster
