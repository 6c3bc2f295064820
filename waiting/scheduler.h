// What waiting may ask of the operating system's scheduler. The policies `auto` and `yield` need it, and so does what
// replaces the runtimes' own yields (runtime-hooks/runtimes/yields); `spin` uses it if there is one; no barrier does. A
// Memory (waiting/memory.h) whose threads are scheduled has it as its nested type Scheduler. A simulator or checker
// without a scheduler leaves that type out, and the policies that need one are left out with it.
#pragma once

#include <concepts>
#include <cstdint>

#include "platform/native_scheduler.h"

namespace muster {

// All functions are static and concern the calling thread. Times in ns; `now_ns` is a recent Memory::now_ns().
//
//   yield()            lets another runnable thread have the CPU; returns at once if there is none
//   nap(ns)            sleeps for about `ns`, less than a second
//   runs_in_real_time(now_ns)
//                      whether yields and spinning keep threads of lower priority from running, so that only a sleep
//                      helps; may be 10 ms out of date
//   current_cpu()      the CPU that it runs on, which it may leave at any time; kNoCpu if unknown
//   allowed_cpus()     the number of CPUs that it may use, at least 1; takes a system call
//   may_ask_scheduler(now_ns)
//                      whether it may move or request a slice now: limits both to once in 0.1 ms. If true, assumes that
//                      it does; calls with the same time count as one
//   move_to(cpu)       moves to `cpu`, without pinning. False, with nothing changed, if that is not one of its CPUs, if
//                      it has only one, or if the scheduler refuses
//   leave_cpu(cpu)     the same, to any of its CPUs but `cpu`
//   pick_cpu(trial)    one of its CPUs: the same for all threads of a process that pass the same number, another for
//                      the next number. kNoCpu if it has only one or they are unknown
//   cpu_for_thread(thread, team)
//                      the CPU for that thread of a team of so many, by its number: different ones for as many threads
//                      as there are CPUs. Where a process begins follows from its number. kNoCpu as above
//   idle_ns_elsewhere(except)
//                      how long its CPUs, without `except` (kNoCpu: with all), have been idle together since some fixed
//                      time; in steps of 10 ms. For comparisons with half of a window: stolen time counts half, since
//                      it is neither idle nor used (platform/idle_time.h). kIdleTimeUnknown if not available
//   ask_for_slice(ns)  requests a time slice of `ns`, without changing its share of the CPU. False, with nothing
//                      changed, if that is not available
//   has_requested_slice()
//                      whether such a request is in force; a load
//   give_slice_back()  withdraws it, if there is one
template <class S>
concept Scheduler = requires {
  S::yield();
  S::nap(std::uint64_t{});
  { S::runs_in_real_time(std::uint64_t{}) } -> std::same_as<bool>;
  { S::current_cpu() } -> std::same_as<unsigned>;
  { S::allowed_cpus() } -> std::same_as<unsigned>;
  { S::may_ask_scheduler(std::uint64_t{}) } -> std::same_as<bool>;
  { S::move_to(unsigned{}) } -> std::same_as<bool>;
  { S::leave_cpu(unsigned{}) } -> std::same_as<bool>;
  { S::pick_cpu(unsigned{}) } -> std::same_as<unsigned>;
  { S::cpu_for_thread(unsigned{}, unsigned{}) } -> std::same_as<unsigned>;
  { S::idle_ns_elsewhere(unsigned{}) } -> std::same_as<std::uint64_t>;
  { S::ask_for_slice(std::uint64_t{}) } -> std::same_as<bool>;
  { S::has_requested_slice() } -> std::same_as<bool>;
  S::give_slice_back();
};

static_assert(Scheduler<NativeScheduler>);

// Whether the threads on this Memory have a scheduler.
template <class Memory>
concept HasScheduler = Scheduler<typename Memory::Scheduler>;

// The CPU that the calling thread runs on. Without a scheduler 0: all threads count as on one CPU.
template <class Memory>
unsigned cpu_of_caller() {
  if constexpr (HasScheduler<Memory>) {
    return Memory::Scheduler::current_cpu();
  } else {
    return 0;
  }
}

}  // namespace muster
