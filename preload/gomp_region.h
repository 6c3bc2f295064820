// What all of gcc's parallel regions have in common, combined ones included.
#pragma once

#include "runtime-hooks/folding/root_fold.h"
#include "runtime-hooks/teams/lost_threads.h"
#include "runtime-hooks/teams/region.h"

namespace muster {

// Runs the region in the calling thread's fold. Otherwise returns the reason, which fork_region() takes.
inline Unfolded fold_region(const RegionCall& call) {
  if (!call.runtime.replaced || call.runtime.contains(call.site.caller))
    return Unfolded::kNotReplaced;
  return must_be_alone(call.runtime, call.asked_size) ? Unfolded::kThreadsLost : run_folded(call);
}

// For regions that are never folded.
inline Unfolded why_unfolded(const Runtime& runtime, const void* caller, unsigned asked) {
  const bool asks = runtime.replaced && !runtime.contains(caller);
  return asks && must_be_alone(runtime, asked) ? Unfolded::kThreadsLost : Unfolded::kOtherKind;
}

// The number of threads to ask for.
constexpr unsigned size_for(Unfolded why, unsigned asked) {
  return why == Unfolded::kThreadsLost ? 1 : asked;
}

// Lets the runtime fork: fork(function, data) is the real call, for the function itself or for a wrapper of it.
template <class Fork>
void fork_region(Runtime& runtime, CallSite site, Unfolded why, abi::GompRegion function,
                 void* data, const Fork& fork) {
  const ForkScope scope(runtime, why, reinterpret_cast<const void*>(function), site);
  GompRegion wrapped{function, data, scope.whose()};
  if (!runtime.contains(site.caller) && scope.wraps()) {
    function = &GompRegion::run;
    data = &wrapped;
  }
  scope.call(fork, function, data);
}

}  // namespace muster
