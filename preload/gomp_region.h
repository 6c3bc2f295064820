// What gcc's parallel regions have in common, whatever they are combined with.
#pragma once

#include "runtime-hooks/folding/own_fold.h"
#include "runtime-hooks/region.h"

namespace muster {

// Folded, or else by the runtime: fork(function, data) is the real call, for the function as it is or
// wrapped. The call's body may be another than the function: what a fold runs.
template <class Fork>
void region(const RegionCall& call, abi::GompRegion function, void* data, Fork&& fork) {
  Unfolded why = Unfolded::kNotReplaced;
  const bool own = call.runtime.contains(call.site.caller);
  if (call.runtime.replaced && !own && run_folded(call, why)) return;
  const ForkScope scope(call.runtime, why, reinterpret_cast<const void*>(function));
  if (own || !scope.wraps()) {
    fork(function, data);
    return;
  }
  GompRegion wrapped{function, data, scope.whose()};
  fork(&GompRegion::run, static_cast<void*>(&wrapped));
}

}  // namespace muster
