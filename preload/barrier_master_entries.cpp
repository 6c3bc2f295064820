// A barrier and a `master` construct in one call. No current compiler emits these.
#include "preload/entry.h"
#include "runtime-hooks/teams/barrier_gate.h"

using namespace muster;

// Returns 1 to thread 0, which executes the construct and then calls the end function. The others return 0
// after that.
MUSTER_ENTRY std::int32_t __kmpc_barrier_master(abi::Ident* where, abi::GlobalThread thread) {
  const void* const caller = MUSTER_CALLER;
  entering(Entry::kKmpcBarrierMaster, caller);
  Arrival arrival(Entry::kKmpcBarrierMaster, caller);
  if (!arrival.replaceable()) {
    return arrival.at_real_barrier(
        [&] { return arrival.runtime().real.__kmpc_barrier_master(where, thread); });
  }
  arrival.gather();
  if (arrival.is_primary()) return 1;
  arrival.release();
  return 0;
}

MUSTER_ENTRY void __kmpc_end_barrier_master(abi::Ident* where, abi::GlobalThread thread) {
  const void* const caller = MUSTER_CALLER;
  entering(Entry::kKmpcEndBarrierMaster, caller);
  Arrival arrival(Entry::kKmpcEndBarrierMaster, caller, Refusals::kUncounted);
  if (!arrival.replaceable()) {
    arrival.runtime().real.__kmpc_end_barrier_master(where, thread);
  } else if (arrival.is_primary()) {
    arrival.release();
  }
}

// This one has no end function: the barrier is over before the construct begins.
MUSTER_ENTRY std::int32_t __kmpc_barrier_master_nowait(abi::Ident* where,
                                                       abi::GlobalThread thread) {
  const void* const caller = MUSTER_CALLER;
  entering(Entry::kKmpcBarrierMasterNowait, caller);
  Arrival arrival(Entry::kKmpcBarrierMasterNowait, caller);
  if (!arrival.replaceable()) {
    return arrival.at_real_barrier(
        [&] { return arrival.runtime().real.__kmpc_barrier_master_nowait(where, thread); });
  }
  arrival.meet();
  return arrival.is_primary() ? 1 : 0;
}
