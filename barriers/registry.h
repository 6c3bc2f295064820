// Which code stands behind the names of MUSTER_BARRIER and MUSTER_WAIT, on a given Memory: the one
// place where algorithms and policies meet. A new algorithm is one header, one line in names.h and
// one here.
#pragma once

#include "barriers/barrier_state.h"
#include "barriers/dissemination.h"
#include "barriers/dist_counter.h"
#include "barriers/dist_counter_local_sensor.h"
#include "barriers/fetch_add.h"
#include "barriers/local_sensor.h"
#include "barriers/names.h"
#include "barriers/tree.h"
#include "waiting/auto_wait.h"
#include "waiting/block.h"
#include "waiting/conditional.h"
#include "waiting/fixed_time.h"
#include "waiting/names.h"
#include "waiting/random.h"
#include "waiting/spin.h"
#include "waiting/yield.h"

namespace muster {

namespace detail {

template <class Memory, template <class, class> class Algorithm>
const BarrierOps<Memory>* with_policy(WaitKind wait) {
  switch (wait) {
#define MUSTER_CASE(symbol, name, Policy, thousandths, calibrated) \
  case WaitKind::symbol:                                           \
    return &BarrierState<Memory, Algorithm, Policy>::template kOps<thousandths>;
    MUSTER_WAITS(MUSTER_CASE)
#undef MUSTER_CASE
  }
  return nullptr;
}

template <class Memory>
const BarrierOps<Memory>* look_up(BarrierKind barrier, WaitKind wait) {
  switch (barrier) {
    case BarrierKind::kFetchAdd:
      return with_policy<Memory, FetchAdd>(wait);
    case BarrierKind::kFetchAddXadd:
      return with_policy<Memory, FetchAddXadd>(wait);
    case BarrierKind::kDistCounter:
      return with_policy<Memory, DistCounter>(wait);
    case BarrierKind::kDistCounterPadded:
      return with_policy<Memory, DistCounterPadded>(wait);
    case BarrierKind::kLocalSensor:
      return with_policy<Memory, LocalSensor>(wait);
    case BarrierKind::kDistSensor:
      return with_policy<Memory, DistCounterLocalSensor>(wait);
    case BarrierKind::kDissemination:
      return with_policy<Memory, Dissemination>(wait);
    case BarrierKind::kTree:
      return with_policy<Memory, Tree>(wait);
    case BarrierKind::kNative:
    case BarrierKind::kAuto:
      return nullptr;
  }
  return nullptr;
}

}  // namespace detail

// Null for `native` and `auto`, which are no algorithms: the caller decides those first.
template <class Memory>
const BarrierOps<Memory>* barrier_ops(BarrierKind barrier, WaitKind wait) {
  return detail::look_up<Memory>(barrier, wait);
}

}  // namespace muster
