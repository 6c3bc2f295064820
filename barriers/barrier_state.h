// One algorithm with one waiting policy on a given Memory, behind an interface that names neither.
#pragma once

#include <new>

#include "barriers/layout.h"
#include "waiting/arrivals.h"
#include "waiting/call_off.h"
#include "waiting/memory.h"
#include "waiting/waiter.h"
#include "waiting/waiting_policy.h"

namespace muster {

// A barrier with its waiting policy behind a few function pointers.
template <class Memory>
struct BarrierOps {
  // The number of bytes that create() takes from the arena at most.
  std::size_t (*bytes)(unsigned team, const Layout& layout);

  // Null if the arena is too small.
  void* (*create)(Arena& arena, unsigned team, const Layout& layout, const WaitParameters& wait);

  // Thread `me` of the team arrives at instance `episode` and waits. True: released; all threads have arrived, and
  // their earlier stores are visible. False: the instance was called off for all threads (waiting/call_off.h).
  bool (*arrive_and_wait)(void* state, unsigned me, Episode episode,
                          const CallOff<Memory>& call_off, WaitStats& stats);

  // Half a barrier each, for fork and join: a gather and the release after it are two instances. Full instances may lie
  // between a release and the next gather, but not between a gather and its release.
  // At gather() all threads arrive. Only thread 0, the primary, waits for all, and then sees their earlier stores.
  // At release() the others wait for the primary, and then see its earlier stores.
  // False: the gather was called off for all threads. A thread that enters the release without having noticed finds out
  // there: `ended_by` is the gather's episode. A thread that knows passes kNoEpisode.
  // `announced`, if not null, is a word beside the data that the primary publishes. After Memory::drain_stores() the
  // primary stores the episode there, with release, before its release(). A thread that sees it early enough need not
  // fetch another line.
  bool (*gather)(void* state, unsigned me, Episode episode, const CallOff<Memory>& call_off,
                 WaitStats& stats, Counted counted);
  bool (*release)(void* state, unsigned me, Episode episode, Episode ended_by,
                  const typename Memory::template Atomic<Episode>* announced,
                  const CallOff<Memory>& call_off, WaitStats& stats, Counted counted);

  // After calling an instance off: wakes the threads that sleep in it.
  void (*wake_everyone)(void* state, WaitStats& stats);
};

namespace detail {

template <class Memory, template <class, class> class Algorithm, class Policy>
struct BarrierState {
  using Waiting = Waiter<Memory, Policy>;
  using Barrier = Algorithm<Memory, Waiting>;

  // What both begin with is read at every instance: one line.
  alignas(kCoherenceGranule) Arrivals<Memory> arrivals;
  Policy policy;
  Barrier barrier;

  BarrierState(Arena& arena, unsigned team, const Layout& layout, const WaitParameters& wait)
      : arrivals(uses_arrivals<Policy>(wait) ? arena.take(Arrivals<Memory>::bytes(team)) : nullptr,
                 team),
        policy(wait),
        barrier(team, layout, arena) {}

  static std::size_t bytes(unsigned team, const Layout& layout) {
    constexpr std::size_t kArrays = 5;  // no algorithm has more; each is aligned to a stride
    return sizeof(BarrierState) + alignof(BarrierState) + Barrier::bytes(team, layout) +
           Arrivals<Memory>::bytes(team) + kCoherenceGranule + kArrays * layout.stride;
  }

  static void* create(Arena& arena, unsigned team, const Layout& layout,
                      const WaitParameters& wait) {
    void* place = arena.take(sizeof(BarrierState), alignof(BarrierState));
    return place == nullptr ? nullptr : ::new (place) BarrierState(arena, team, layout, wait);
  }

  static bool arrive_and_wait(void* state, unsigned me, Episode episode,
                              const CallOff<Memory>& call_off, WaitStats& stats) {
    auto& self = *static_cast<BarrierState*>(state);
    Memory::drain_stores();
    Waiting waiter(self.policy, self.arrivals, call_off, me, episode, episode, stats);
    return waiter.leave(self.barrier.arrive_and_wait(me, episode, waiter));
  }

  static bool gather(void* state, unsigned me, Episode episode, const CallOff<Memory>& call_off,
                     WaitStats& stats, Counted counted) {
    auto& self = *static_cast<BarrierState*>(state);
    Memory::drain_stores();
    Waiting waiter(self.policy, self.arrivals, call_off, me, episode, episode, stats);
    return waiter.leave(self.barrier.gather(me, episode, waiter), counted);
  }

  static bool release(void* state, unsigned me, Episode episode, Episode ended_by,
                      const typename Memory::template Atomic<Episode>* announced,
                      const CallOff<Memory>& call_off, WaitStats& stats, Counted counted) {
    auto& self = *static_cast<BarrierState*>(state);
    if (me == 0 && announced == nullptr) Memory::drain_stores();
    Waiting waiter(self.policy, self.arrivals, call_off, me, episode, ended_by, stats);
    if (announced != nullptr) waiter.awaits_region();
    if constexpr (requires { self.barrier.may_use_announcement(waiter); }) {
      if (me != 0 && announced != nullptr && self.barrier.may_use_announcement(waiter)) {
        const auto is_announced = [&] {
          return announced->load(std::memory_order_acquire) >= episode;
        };
        if (waiter.wait_quickly(is_announced)) return waiter.leave(true, counted);
      }
    }
    return waiter.leave(self.barrier.release(me, episode, waiter), counted);
  }

  static void wake_everyone(void* state, WaitStats& stats) {
    auto& self = *static_cast<BarrierState*>(state);
    Memory::full_fence();  // correct with either fence of the sleepers
    self.barrier.wake_everyone(stats);
  }

  static constexpr BarrierOps<Memory> kOps{bytes,  create,  arrive_and_wait,
                                           gather, release, wake_everyone};
};

}  // namespace detail
}  // namespace muster
