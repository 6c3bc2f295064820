// The barriers that programs call: explicit ones and those that end worksharing constructs.
#include "preload/entry.h"
#include "runtime-hooks/barrier_gate.h"

namespace muster {
namespace {

// Muster's barrier, else the real one.
template <class RealBarrier>
void barrier(Entry entry, const void* caller, RealBarrier&& real) {
  ensure_ready();
  Arrival arrival(entry, caller);
  if (arrival.replaceable() && arrival.wait()) [[likely]]
    return;
  arrival.at_real_barrier([&] { real(arrival.runtime().real); });
}

// The same for barriers that tell whether the region was cancelled. A runtime with cancellation on
// is not replaced at all, so Muster's barrier answers no.
template <class Answer, class RealBarrier>
Answer cancel_barrier(Entry entry, const void* caller, RealBarrier&& real) {
  ensure_ready();
  Arrival arrival(entry, caller);
  if (arrival.replaceable() && arrival.wait()) [[likely]]
    return Answer{};
  return arrival.at_real_barrier([&] { return static_cast<Answer>(real(arrival.runtime().real)); });
}

// The end of a worksharing construct: the runtime ends it without a barrier, then comes Muster's. A
// team whose barrier turns out to have tasks to finish goes to the real explicit barrier instead.
template <class Nowait, class RealEnd>
void construct_end(Entry entry, const void* caller, Nowait&& nowait, RealEnd&& end) {
  ensure_ready();
  Arrival arrival(entry, caller);
  if (!arrival.replaceable()) {
    end(arrival.runtime().real);
    return;
  }
  const RealFunctions& real = arrival.runtime().real;
  nowait(real);
  if (arrival.wait()) [[likely]]
    return;
  arrival.at_real_barrier([&] { real.GOMP_barrier(); });
}

}  // namespace
}  // namespace muster

using namespace muster;

MUSTER_EXPORT void __kmpc_barrier(abi::Ident* where, abi::GlobalThread thread) {
  barrier(Entry::kKmpcBarrier, MUSTER_CALLER,
          [&](const RealFunctions& real) { real.__kmpc_barrier(where, thread); });
}

MUSTER_EXPORT std::int32_t __kmpc_cancel_barrier(abi::Ident* where, abi::GlobalThread thread) {
  return cancel_barrier<std::int32_t>(
      Entry::kKmpcCancelBarrier, MUSTER_CALLER,
      [&](const RealFunctions& real) { return real.__kmpc_cancel_barrier(where, thread); });
}

MUSTER_EXPORT void GOMP_barrier() {
  barrier(Entry::kGompBarrier, MUSTER_CALLER,
          [](const RealFunctions& real) { real.GOMP_barrier(); });
}

MUSTER_EXPORT bool GOMP_barrier_cancel() {
  return cancel_barrier<bool>(Entry::kGompBarrierCancel, MUSTER_CALLER,
                              [](const RealFunctions& real) { return real.GOMP_barrier_cancel(); });
}

MUSTER_EXPORT void GOMP_loop_end() {
  construct_end(
      Entry::kGompLoopEnd, MUSTER_CALLER,
      [](const RealFunctions& real) { real.GOMP_loop_end_nowait(); },
      [](const RealFunctions& real) { real.GOMP_loop_end(); });
}

MUSTER_EXPORT bool GOMP_loop_end_cancel() {
  bool cancelled = false;
  construct_end(
      Entry::kGompLoopEndCancel, MUSTER_CALLER,
      [](const RealFunctions& real) { real.GOMP_loop_end_nowait(); },
      [&](const RealFunctions& real) { cancelled = real.GOMP_loop_end_cancel(); });
  return cancelled;
}

MUSTER_EXPORT void GOMP_sections_end() {
  construct_end(
      Entry::kGompSectionsEnd, MUSTER_CALLER,
      [](const RealFunctions& real) { real.GOMP_sections_end_nowait(); },
      [](const RealFunctions& real) { real.GOMP_sections_end(); });
}

MUSTER_EXPORT bool GOMP_sections_end_cancel() {
  bool cancelled = false;
  construct_end(
      Entry::kGompSectionsEndCancel, MUSTER_CALLER,
      [](const RealFunctions& real) { real.GOMP_sections_end_nowait(); },
      [&](const RealFunctions& real) { cancelled = real.GOMP_sections_end_cancel(); });
  return cancelled;
}
