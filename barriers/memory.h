// What a barrier needs of the memory it runs on. Every algorithm and every waiting policy takes its Memory as a
// template parameter: native atomics, a simulated coherent memory, or that of a model checker. All run the same source.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>

#include "platform/native_memory.h"
#include "waiting/episode.h"

namespace muster {

//   Atomic<T>            load, store, fetch_add, exchange, compare_exchange_weak with std memory orders; on machines
//                        with load-reserve and store-conditional also reserved_add: platform/reserved_add.h
//   pause()              called after a poll that failed
//   now_ns()             monotonic time
//   yield()              give the CPU to another runnable thread
//   nap(ns)              sleep for about this time
//   runs_in_real_time(t) whether yields leave threads of lower priority waiting: platform/real_time.h
//   current_cpu()        the CPU the calling thread runs on
//   allowed_cpus()       the number of CPUs the calling thread may use
//   move_to(cpu), leave_cpu(cpu), pick_cpu(trial),
//   idle_ns_elsewhere(except)
//                        moving threads: platform/native_memory.h
//   ask_for_slice(ns), has_requested_slice(), give_slice_back()
//                        see platform/slice.h
//   light_fence(), heavy_fence(), full_fence()
//                        see platform/fences.h; heavy_fence() is false if it is not available
//   drain_stores()       all earlier stores of the caller, of any kind, come before its later stores
//   wait(w, v, limited)  sleep while w holds v (a millisecond at most if limited); may return spuriously; true if it
//                        may have slept
//   wake_all(w)          wake all sleepers of w
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
  M::yield();
  { M::may_ask_scheduler(std::uint64_t{}) } -> std::same_as<bool>;
  M::nap(std::uint64_t{});
  { M::runs_in_real_time(std::uint64_t{}) } -> std::same_as<bool>;
  { M::move_to(unsigned{}) } -> std::same_as<bool>;
  { M::leave_cpu(unsigned{}) } -> std::same_as<bool>;
  { M::pick_cpu(unsigned{}) } -> std::same_as<unsigned>;
  { M::idle_ns_elsewhere(unsigned{}) } -> std::same_as<std::uint64_t>;
  { M::ask_for_slice(std::uint64_t{}) } -> std::same_as<bool>;
  { M::has_requested_slice() } -> std::same_as<bool>;
  M::give_slice_back();
  M::light_fence();
  M::full_fence();
  M::drain_stores();
  { M::heavy_fence() } -> std::same_as<bool>;
  { M::now_ns() } -> std::same_as<std::uint64_t>;
  { M::current_cpu() } -> std::same_as<unsigned>;
  { M::allowed_cpus() } -> std::same_as<unsigned>;
  { M::wait(word, std::uint32_t{}, bool{}) } -> std::same_as<bool>;
  M::wake_all(word);
};

static_assert(Memory<NativeMemory>);

}  // namespace muster
