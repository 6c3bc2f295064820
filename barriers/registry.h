// The code for each name of MUSTER_BARRIER, on a given Memory. A new algorithm is one header, one line in
// options/barrier_names.h and one here. WaitParameters selects the waiting policy (waiting/any_policy.h).
#pragma once

#include "barriers/barrier_state.h"
#include "barriers/dissemination.h"
#include "barriers/dist_counter.h"
#include "barriers/dist_counter_local_sensor.h"
#include "barriers/fetch_add.h"
#include "barriers/local_sensor.h"
#include "barriers/tree.h"
#include "barriers/while_contended.h"
#include "options/barrier_names.h"
#include "waiting/any_policy.h"

namespace muster {

namespace detail {

template <class Memory, template <class, class> class Algorithm, class Policy>
constexpr const BarrierOps<Memory>* kOpsOf = &BarrierState<Memory, Algorithm, Policy>::kOps;

template <class Memory, class Policy = AnyPolicy>
const BarrierOps<Memory>* look_up(BarrierKind barrier) {
  switch (barrier) {
    case BarrierKind::kFetchAdd:
      return kOpsOf<Memory, FetchAdd, Policy>;
    case BarrierKind::kFetchAddXadd:
      return kOpsOf<Memory, FetchAddXadd, Policy>;
    case BarrierKind::kDistCounter:
      return kOpsOf<Memory, DistCounter, Policy>;
    case BarrierKind::kDistCounterPadded:
      return kOpsOf<Memory, DistCounterPadded, Policy>;
    case BarrierKind::kLocalSensor:
      return kOpsOf<Memory, LocalSensor, Policy>;
    case BarrierKind::kDistSensor:
      return kOpsOf<Memory, DistCounterLocalSensor, Policy>;
    case BarrierKind::kDissemination:
      return kOpsOf<Memory, Dissemination, Policy>;
    case BarrierKind::kDisseminationOrCounter:
      return kOpsOf<Memory, DisseminationOrCounter, Policy>;
    case BarrierKind::kTree:
      return kOpsOf<Memory, Tree, Policy>;
    case BarrierKind::kNative:
    case BarrierKind::kAuto:
      return nullptr;
  }
  return nullptr;
}

}  // namespace detail

// Null for `native` and `auto`, which are no algorithms: the caller resolves those first.
template <class Memory>
const BarrierOps<Memory>* barrier_ops(BarrierKind barrier) {
  return detail::look_up<Memory>(barrier);
}

}  // namespace muster
