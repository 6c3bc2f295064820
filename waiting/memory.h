// What a barrier and the waits at it need of the memory they run on. Every algorithm and every waiting policy takes its
// Memory as a template parameter: native atomics, a simulated coherent memory, or that of a model checker. All run the
// same source.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>

#include "platform/native_memory.h"
#include "waiting/episode.h"
#include "waiting/scheduler.h"

namespace muster {

//   Atomic<T>            load, store, fetch_add, exchange, compare_exchange_weak with std memory orders; on machines
//                        with load-reserve and store-conditional also reserved_add: platform/reserved_add.h
//   pause()              called after a poll that failed
//   now_ns()             monotonic time
//   light_fence(), heavy_fence(), full_fence()
//                        see platform/fences.h; heavy_fence() is false if it is not available
//   drain_stores()       all earlier stores of the caller, of any kind, come before its later stores
//   wait(w, v, limited)  sleep while w holds v (a millisecond at most if limited); may return spuriously; true if it
//                        may have slept
//   wake_all(w)          wake all sleepers of w
//
// It may have a nested type Scheduler (waiting/scheduler.h). Without one, policies that need a scheduler are not
// available on it.
template <class M>
concept Memory = requires(typename M::template Atomic<std::uint32_t>& word,
                          typename M::template Atomic<Episode>& episode, Episode value) {
  { episode.load(std::memory_order_acquire) } -> std::same_as<Episode>;
  episode.store(value, std::memory_order_release);
  { episode.fetch_add(value, std::memory_order_acq_rel) } -> std::same_as<Episode>;
  {
    episode.compare_exchange_weak(value, value, std::memory_order_acq_rel,
                                  std::memory_order_relaxed)
  } -> std::same_as<bool>;
  M::pause();
  M::will_write(episode);
  M::light_fence();
  M::full_fence();
  M::drain_stores();
  { M::heavy_fence() } -> std::same_as<bool>;
  { M::now_ns() } -> std::same_as<std::uint64_t>;
  { M::wait(word, std::uint32_t{}, bool{}) } -> std::same_as<bool>;
  M::wake_all(word);
  requires !requires { typename M::Scheduler; } || HasScheduler<M>;
};

static_assert(Memory<NativeMemory>);

}  // namespace muster
