// The barriers that programs call: explicit ones, and those at the end of worksharing constructs.
#include "preload/entry.h"
#include "runtime-hooks/teams/barrier_gate.h"

namespace muster {
namespace {

// Muster's barrier, else the real one.
template <class RealBarrier>
void barrier(Entry entry, const void* caller, RealBarrier&& real) {
  if (in_serial_part() && is_barrier_of_one(kEntryNames[static_cast<unsigned>(entry)], caller))
      [[unlikely]]
    return;
  entering(entry, caller);
  Arrival arrival(entry, caller);
  if (arrival.replaceable() && arrival.wait()) [[likely]]
    return;
  arrival.at_real_barrier([&] { real(arrival.runtime().real); });
}

// The same for barriers that return whether the region was cancelled. A runtime with cancellation enabled
// is not replaced at all, so Muster's barrier returns false.
template <class Answer, class RealBarrier>
Answer cancel_barrier(Entry entry, const void* caller, RealBarrier&& real) {
  entering(entry, caller);
  Arrival arrival(entry, caller);
  if (arrival.replaceable() && arrival.wait()) [[likely]]
    return Answer{};
  return arrival.at_real_barrier([&] { return static_cast<Answer>(real(arrival.runtime().real)); });
}

// The end of a worksharing construct: the runtime ends it without a barrier, then Muster's barrier follows. If it
// turns out that there are tasks to finish, the team goes to the real explicit barrier instead. If the runtime has no
// `nowait` function, it does all of this itself.
template <class Nowait, class RealEnd>
void construct_end(Entry entry, const void* caller, Nowait RealFunctions::* nowait, RealEnd&& end) {
  entering(entry, caller);
  Arrival arrival(entry, caller);
  const bool replaceable = arrival.replaceable();
  const RealFunctions& real = arrival.runtime().real;
  if (!replaceable || real.*nowait == nullptr) {
    const RuntimeCall call;
    end(real);
    return;
  }
  (real.*nowait)();
  if (arrival.wait()) [[likely]]
    return;
  arrival.at_real_barrier([&] { real.GOMP_barrier(0); });
}

}  // namespace
}  // namespace muster

using namespace muster;

MUSTER_ENTRY void __kmpc_barrier(abi::Ident* where, abi::GlobalThread thread) {
  barrier(Entry::kKmpcBarrier, MUSTER_CALLER,
          [&](const RealFunctions& real) { real.__kmpc_barrier(where, thread); });
}

MUSTER_ENTRY std::int32_t __kmpc_cancel_barrier(abi::Ident* where, abi::GlobalThread thread) {
  return cancel_barrier<std::int32_t>(
      Entry::kKmpcCancelBarrier, MUSTER_CALLER,
      [&](const RealFunctions& real) { return real.__kmpc_cancel_barrier(where, thread); });
}

// Today's callers pass no argument; whatever is in the register is passed on unchanged.
MUSTER_ENTRY void GOMP_barrier(int argument) {
  barrier(Entry::kGompBarrier, MUSTER_CALLER,
          [=](const RealFunctions& real) { real.GOMP_barrier(argument); });
}

MUSTER_ENTRY bool GOMP_barrier_cancel() {
  return cancel_barrier<bool>(Entry::kGompBarrierCancel, MUSTER_CALLER,
                              [](const RealFunctions& real) { return real.GOMP_barrier_cancel(); });
}

MUSTER_ENTRY void GOMP_loop_end() {
  construct_end(Entry::kGompLoopEnd, MUSTER_CALLER, &RealFunctions::GOMP_loop_end_nowait,
                [](const RealFunctions& real) { real.GOMP_loop_end(); });
}

MUSTER_ENTRY bool GOMP_loop_end_cancel() {
  const void* const caller = MUSTER_CALLER;
  bool cancelled = false;
  construct_end(Entry::kGompLoopEndCancel, caller, &RealFunctions::GOMP_loop_end_nowait,
                [&](const RealFunctions& real) { cancelled = real.GOMP_loop_end_cancel(); });
  return cancelled;
}

MUSTER_ENTRY void GOMP_sections_end() {
  construct_end(Entry::kGompSectionsEnd, MUSTER_CALLER, &RealFunctions::GOMP_sections_end_nowait,
                [](const RealFunctions& real) { real.GOMP_sections_end(); });
}

MUSTER_ENTRY bool GOMP_sections_end_cancel() {
  const void* const caller = MUSTER_CALLER;
  bool cancelled = false;
  construct_end(Entry::kGompSectionsEndCancel, caller, &RealFunctions::GOMP_sections_end_nowait,
                [&](const RealFunctions& real) { cancelled = real.GOMP_sections_end_cancel(); });
  return cancelled;
}

// The end of a construct with a task reduction, with its barrier. A cancelled one has no barrier.
MUSTER_ENTRY void GOMP_workshare_task_reduction_unregister(bool cancelled) {
  const void* const caller = MUSTER_CALLER;
  entering(Entry::kGompTaskReductionEnd, caller);
  Arrival arrival(Entry::kGompTaskReductionEnd, caller);
  const bool replaceable = !cancelled && arrival.replaceable();
  const RealFunctions& real = arrival.runtime().real;
  const auto end = required(real.GOMP_workshare_task_reduction_unregister,
                            "GOMP_workshare_task_reduction_unregister");
  if (!replaceable) {
    arrival.at_real_barrier([&] { end(cancelled); });
    return;
  }
  end(/*cancelled=*/true);
  if (arrival.wait()) return;
  arrival.at_real_barrier([&] { real.GOMP_barrier(0); });
}
