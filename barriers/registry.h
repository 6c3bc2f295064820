// Which code stands behind the names of MUSTER_BARRIER and MUSTER_WAIT, on a given Memory: the one
// place where algorithms and policies meet. A new algorithm is one header, one line in names.h and
// one here.
#pragma once

#include <new>

#include "barriers/dissemination.h"
#include "barriers/dist_counter.h"
#include "barriers/dist_counter_local_sensor.h"
#include "barriers/fetch_add.h"
#include "barriers/layout.h"
#include "barriers/local_sensor.h"
#include "barriers/memory.h"
#include "barriers/names.h"
#include "barriers/tree.h"
#include "waiting/auto_wait.h"
#include "waiting/block.h"
#include "waiting/conditional.h"
#include "waiting/cs.h"
#include "waiting/cs_plus.h"
#include "waiting/exponential.h"
#include "waiting/fixed_time.h"
#include "waiting/names.h"
#include "waiting/random.h"
#include "waiting/spin.h"
#include "waiting/two_cs_plus.h"
#include "waiting/uniform.h"
#include "waiting/waiter.h"
#include "waiting/yield.h"

namespace muster {

// A barrier with its waiting policy behind four function pointers.
template <class Memory>
struct BarrierOps {
  // Bytes that create() takes from the arena at most.
  std::size_t (*bytes)(unsigned team, const Layout& layout);

  // Null when the arena was too small.
  void* (*create)(Arena& arena, unsigned team, const Layout& layout, const WaitParameters& wait);

  // Thread `me` of the team arrives at instance `episode` and waits. True: released, all have
  // arrived, and their earlier stores are seen. False: the instance was called off
  // (waiting/interruption.h), for all.
  bool (*arrive_and_wait)(void* state, unsigned me, Episode episode,
                          const Interruption<Memory>& interruption, WaitStats& stats);

  // After calling an instance off: those who sleep in it look again.
  void (*wake_everyone)(void* state, WaitStats& stats);
};

namespace detail {

template <class Memory, template <class, class> class Algorithm, class Policy>
struct BarrierState {
  using Waiting = Waiter<Memory, Policy>;
  using Barrier = Algorithm<Memory, Waiting>;

  // What both begin with is read at every instance: one line.
  alignas(kCoherenceGranule) Roster<Memory> roster;
  Policy policy;
  Barrier barrier;

  BarrierState(Arena& arena, unsigned team, const Layout& layout, const WaitParameters& wait)
      : roster(roster_bytes(team) != 0 ? arena.take(roster_bytes(team)) : nullptr, team),
        policy(wait),
        barrier(team, layout, arena) {}

  static constexpr std::size_t roster_bytes(unsigned team) {
    return Policy::kUsesRoster ? Roster<Memory>::bytes(team) : 0;
  }

  static std::size_t bytes(unsigned team, const Layout& layout) {
    constexpr std::size_t kArrays = 4;  // no algorithm has more; each is aligned to a stride
    return sizeof(BarrierState) + alignof(BarrierState) + Barrier::bytes(team, layout) +
           roster_bytes(team) + kCoherenceGranule + kArrays * layout.stride;
  }

  static void* create(Arena& arena, unsigned team, const Layout& layout,
                      const WaitParameters& wait) {
    void* place = arena.take(sizeof(BarrierState), alignof(BarrierState));
    return place == nullptr ? nullptr : ::new (place) BarrierState(arena, team, layout, wait);
  }

  static bool arrive_and_wait(void* state, unsigned me, Episode episode,
                              const Interruption<Memory>& interruption, WaitStats& stats) {
    auto& self = *static_cast<BarrierState*>(state);
    Memory::drain_stores();
    Waiting waiter(self.policy, self.roster, interruption, me, episode, stats);
    return waiter.leave(self.barrier.arrive_and_wait(me, episode, waiter));
  }

  static void wake_everyone(void* state, WaitStats& stats) {
    auto& self = *static_cast<BarrierState*>(state);
    Memory::full_fence();  // whatever fence the sleepers rely on
    self.barrier.wake_everyone(stats);
    self.roster.wake_everyone(stats);
  }

  static constexpr BarrierOps<Memory> kOps{bytes, create, arrive_and_wait, wake_everyone};
};

template <class Memory, template <class, class> class Algorithm>
const BarrierOps<Memory>* with_policy(WaitKind wait) {
  switch (wait) {
#define MUSTER_CASE(symbol, name, Policy) \
  case WaitKind::symbol:                  \
    return &BarrierState<Memory, Algorithm, Policy>::kOps;
    MUSTER_WAITS(MUSTER_CASE)
#undef MUSTER_CASE
  }
  return nullptr;
}

}  // namespace detail

// Null for `native` and `auto`, which are no algorithms: the caller decides those first.
template <class Memory>
const BarrierOps<Memory>* barrier_ops(BarrierKind barrier, WaitKind wait) {
  switch (barrier) {
    case BarrierKind::kFetchAdd:
      return detail::with_policy<Memory, FetchAdd>(wait);
    case BarrierKind::kFetchAddXadd:
      return detail::with_policy<Memory, FetchAddXadd>(wait);
    case BarrierKind::kDistCounter:
      return detail::with_policy<Memory, DistCounter>(wait);
    case BarrierKind::kDistCounterPadded:
      return detail::with_policy<Memory, DistCounterPadded>(wait);
    case BarrierKind::kLocalSensor:
      return detail::with_policy<Memory, LocalSensor>(wait);
    case BarrierKind::kDistSensor:
      return detail::with_policy<Memory, DistCounterLocalSensor>(wait);
    case BarrierKind::kDissemination:
      return detail::with_policy<Memory, Dissemination>(wait);
    case BarrierKind::kTree:
      return detail::with_policy<Memory, Tree>(wait);
    case BarrierKind::kNative:
    case BarrierKind::kAuto:
      return nullptr;
  }
  return nullptr;
}

}  // namespace muster
