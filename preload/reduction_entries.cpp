// Reductions in code compiled by clang. The runtime chooses a method and returns it: 2, the thread adds its part by
// atomic operations; 1, it combines it into the shared variables with nobody else doing so, which is either each
// thread in a critical section or thread 0 for all; 0, it has nothing to do. The end function is called after 1, and
// also after 2 if the reduction ends with a barrier.
#include "preload/entry.h"
#include "runtime-hooks/teams/barrier_gate.h"
#include "runtime-hooks/teams/reduction_tree.h"

namespace muster {
namespace {

constexpr std::int32_t kNothingToDo = 0;
constexpr std::int32_t kCombineAlone = 1;
constexpr std::int32_t kAddAtomically = 2;

// The arguments of a call, as the compiler passed them.
struct Call {
  abi::Ident* where;
  abi::GlobalThread thread;
  std::int32_t count;
  std::size_t bytes;
  void* data;
  abi::Combine combine;
  abi::CriticalName* lock;
};

// Chooses the method that the runtime would, so that whatever is deterministic there is deterministic here.
Reduction begin(Arrival& arrival, const Call& call) {
  if (!arrival.replaceable()) return Reduction::kReal;
  const Reduction method = reduction_method(arrival.runtime().reductions, arrival.team().size(),
                                            call.where, call.data, call.combine);
  if (method == Reduction::kReal) arrival.leave_to_runtime(PassReason::kReductionSettings);
  arrival.frame().reduction = method;
  return method;
}

std::int32_t combine_in_turn(const Arrival& arrival, const Call& call) {
  arrival.runtime().real.__kmpc_critical(call.where, call.thread, call.lock);
  return kCombineAlone;
}

// With a barrier at the end: the others are released when thread 0 calls the end function.
std::int32_t reduce(const void* caller, const Call& call) {
  entering(Entry::kKmpcReduce, caller);
  Arrival arrival(Entry::kKmpcReduce, caller);
  switch (begin(arrival, call)) {
    case Reduction::kAtomic:
      return kAddAtomically;
    case Reduction::kCritical:
      return combine_in_turn(arrival, call);
    case Reduction::kTree:
      gather_parts(arrival, call.data, call.combine);
      if (arrival.is_primary()) return kCombineAlone;
      arrival.release();
      return kNothingToDo;
    case Reduction::kReal:
      break;
  }
  return arrival.at_real_barrier([&] {
    return arrival.runtime().real.__kmpc_reduce(call.where, call.thread, call.count, call.bytes,
                                                call.data, call.combine, call.lock);
  });
}

// Without one: only the tree has to wait, until the parts are combined. Passing the call on to the runtime is not
// counted, since there is no barrier.
std::int32_t reduce_nowait(const void* caller, const Call& call) {
  entering(Entry::kKmpcReduceNowait, caller);
  Arrival arrival(Entry::kKmpcReduceNowait, caller, Refusals::kUncounted);
  switch (begin(arrival, call)) {
    case Reduction::kAtomic:
      return kAddAtomically;
    case Reduction::kCritical:
      return combine_in_turn(arrival, call);
    case Reduction::kTree:
      gather_parts(arrival, call.data, call.combine);
      arrival.release();
      return arrival.is_primary() ? kCombineAlone : kNothingToDo;
    case Reduction::kReal:
      break;
  }
  return arrival.at_real_barrier([&] {
    return arrival.runtime().real.__kmpc_reduce_nowait(
        call.where, call.thread, call.count, call.bytes, call.data, call.combine, call.lock);
  });
}

// The method with which the reduction began, in the same frame.
Reduction method_begun(Arrival& arrival) {
  return arrival.replaceable() ? arrival.frame().reduction : Reduction::kReal;
}

}  // namespace
}  // namespace muster

using namespace muster;

MUSTER_ENTRY std::int32_t __kmpc_reduce(abi::Ident* where, abi::GlobalThread thread,
                                        std::int32_t count, std::size_t bytes, void* data,
                                        abi::Combine combine, abi::CriticalName* lock) {
  return reduce(MUSTER_CALLER, {where, thread, count, bytes, data, combine, lock});
}

MUSTER_ENTRY std::int32_t __kmpc_reduce_nowait(abi::Ident* where, abi::GlobalThread thread,
                                               std::int32_t count, std::size_t bytes, void* data,
                                               abi::Combine combine, abi::CriticalName* lock) {
  return reduce_nowait(MUSTER_CALLER, {where, thread, count, bytes, data, combine, lock});
}

MUSTER_ENTRY void __kmpc_end_reduce(abi::Ident* where, abi::GlobalThread thread,
                                    abi::CriticalName* lock) {
  const void* const caller = MUSTER_CALLER;
  entering(Entry::kKmpcEndReduce, caller);
  Arrival arrival(Entry::kKmpcEndReduce, caller, Refusals::kUncounted);
  switch (method_begun(arrival)) {
    case Reduction::kCritical:
      arrival.runtime().real.__kmpc_end_critical(where, thread, lock);
      [[fallthrough]];
    case Reduction::kAtomic:
      arrival.meet();
      return;
    case Reduction::kTree:
      arrival.release();
      return;
    case Reduction::kReal:
      break;
  }
  arrival.at_real_barrier([&] { arrival.runtime().real.__kmpc_end_reduce(where, thread, lock); });
}

MUSTER_ENTRY void __kmpc_end_reduce_nowait(abi::Ident* where, abi::GlobalThread thread,
                                           abi::CriticalName* lock) {
  const void* const caller = MUSTER_CALLER;
  entering(Entry::kKmpcReduceNowait, caller);
  // Under the name of the function that began it: nothing is counted here.
  Arrival arrival(Entry::kKmpcReduceNowait, caller, Refusals::kUncounted);
  const Reduction method = method_begun(arrival);
  const RealFunctions& real = arrival.runtime().real;
  if (method == Reduction::kCritical) real.__kmpc_end_critical(where, thread, lock);
  if (method == Reduction::kReal) real.__kmpc_end_reduce_nowait(where, thread, lock);
}
