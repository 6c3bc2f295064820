// What all of gcc's parallel regions have in common, combined ones included.
#pragma once

#include "runtime-hooks/folding/root_fold.h"
#include "runtime-hooks/teams/region.h"

namespace muster {

// Runs the region in the calling thread's fold. Otherwise returns the reason, which fork_region() takes.
inline Unfolded fold_region(const RegionCall& call) {
  const bool may = call.runtime.replaced && !call.runtime.contains(call.site.caller);
  return may ? run_folded(call) : Unfolded::kNotReplaced;
}

// Lets the runtime fork: fork(function, data) is the real call, for the function itself or for a wrapper of it.
template <class Fork>
void fork_region(Runtime& runtime, const void* caller, Unfolded why, abi::GompRegion function,
                 void* data, const Fork& fork) {
  const ForkScope scope(runtime, why, reinterpret_cast<const void*>(function));
  GompRegion wrapped{function, data, scope.whose()};
  if (!runtime.contains(caller) && scope.wraps()) {
    function = &GompRegion::run;
    data = &wrapped;
  }
  scope.call(fork, function, data);
}

}  // namespace muster
