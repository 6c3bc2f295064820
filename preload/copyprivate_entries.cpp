// copyprivate: broadcasts one thread's values to the team. They are on its stack, so there is a barrier before
// they are copied and another one after. The second one may be called by the program.
#include "preload/entry.h"
#include "runtime-hooks/teams/barrier_gate.h"

namespace muster {
namespace {

// Waits for the team and returns the pointer that one thread passed as `data`. The others pass null.
void* share(Arrival& arrival, void* data) {
  const Episode instance = arrival.frame().me->episode + 1;
  if (data != nullptr) arrival.team().hand_on(instance, data);
  arrival.meet();
  return arrival.team().handed_on(instance);
}

}  // namespace
}  // namespace muster

using namespace muster;

MUSTER_ENTRY void __kmpc_copyprivate(abi::Ident* where, abi::GlobalThread thread, std::size_t bytes,
                                     void* data, abi::Combine copy, std::int32_t has_executed) {
  const void* const caller = MUSTER_CALLER;
  entering(Entry::kKmpcCopyprivate, caller);
  Arrival arrival(Entry::kKmpcCopyprivate, caller);
  if (!arrival.replaceable()) {
    arrival.at_real_barrier([&] {
      arrival.runtime().real.__kmpc_copyprivate(where, thread, bytes, data, copy, has_executed);
    });
    return;
  }
  void* values = share(arrival, has_executed != 0 ? data : nullptr);
  if (has_executed == 0) copy(data, values);
  arrival.meet();
}

// The caller copies, and then calls a barrier.
MUSTER_ENTRY void* __kmpc_copyprivate_light(abi::Ident* where, abi::GlobalThread thread,
                                            void* data) {
  const void* const caller = MUSTER_CALLER;
  entering(Entry::kKmpcCopyprivateLight, caller);
  Arrival arrival(Entry::kKmpcCopyprivateLight, caller);
  if (arrival.replaceable()) return share(arrival, data);
  return arrival.at_real_barrier([&] {
    const RealFunctions& real = arrival.runtime().real;
    return required(real.__kmpc_copyprivate_light, "__kmpc_copyprivate_light")(where, thread, data);
  });
}

// gcc's form. Returns null to the thread that executes the construct, which then calls the end function, and to
// the others the pointer that it passed there. They copy, and call a barrier.
MUSTER_ENTRY void* GOMP_single_copy_start() {
  const void* const caller = MUSTER_CALLER;
  entering(Entry::kGompSingleCopyStart, caller);
  Arrival arrival(Entry::kGompSingleCopyStart, caller);
  const RealFunctions& real = arrival.runtime().real;
  if (!arrival.replaceable()) {
    return arrival.at_real_barrier([&] { return real.GOMP_single_copy_start(); });
  }
  return real.GOMP_single_start() ? nullptr : share(arrival, nullptr);
}

MUSTER_ENTRY void GOMP_single_copy_end(void* data) {
  const void* const caller = MUSTER_CALLER;
  entering(Entry::kGompSingleCopyEnd, caller);
  Arrival arrival(Entry::kGompSingleCopyEnd, caller, Refusals::kUncounted);
  if (arrival.replaceable()) {
    share(arrival, data);
    return;
  }
  arrival.at_real_barrier([&] { arrival.runtime().real.GOMP_single_copy_end(data); });
}
