// Reductions of clang's code. The runtime chooses a method and tells by what it returns: 2, the
// thread adds its part by atomic operations; 1, it combines it into the shared variables alone,
// either each in its turn or thread 0 for all; 0, it has nothing to do. The end is called after 1,
// and after 2 where the reduction ends with a barrier.
#include "preload/entry.h"
#include "runtime-hooks/teams/barrier_gate.h"
#include "runtime-hooks/teams/reduction_tree.h"

namespace muster {
namespace {

constexpr std::int32_t kNothingToDo = 0;
constexpr std::int32_t kCombineAlone = 1;
constexpr std::int32_t kAddAtomically = 2;

// A compiler's call, as it came.
struct Call {
  abi::Ident* where;
  abi::GlobalThread thread;
  std::int32_t count;
  std::size_t bytes;
  void* data;
  abi::Combine combine;
  abi::CriticalName* lock;
};

// The method that the runtime would choose, so that what is deterministic there is so here.
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

// With a barrier at the end: the others are released when thread 0 has come to the end.
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

// Without one: only the tree has to wait, and that until the parts are combined. A refusal is not
// counted, for there is no barrier.
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

// The method that the reduction began with: the frame is the same.
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
  entering(Entry::kKmpcEndReduce, MUSTER_CALLER);
  Arrival arrival(Entry::kKmpcEndReduce, MUSTER_CALLER, Refusals::kUncounted);
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
  entering(Entry::kKmpcReduceNowait, MUSTER_CALLER);
  // Under the name of its beginning: nothing is counted here.
  Arrival arrival(Entry::kKmpcReduceNowait, MUSTER_CALLER, Refusals::kUncounted);
  const Reduction method = method_begun(arrival);
  const RealFunctions& real = arrival.runtime().real;
  if (method == Reduction::kCritical) real.__kmpc_end_critical(where, thread, lock);
  if (method == Reduction::kReal) real.__kmpc_end_reduce_nowait(where, thread, lock);
}
