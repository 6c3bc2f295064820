// What Muster keeps per thread: the stack of team frames and the thread's counts.
#pragma once

#include <atomic>
#include <cstdint>

#include "platform/cache_line.h"
#include "runtime-hooks/runtimes/pass_reason.h"
#include "runtime-hooks/runtimes/reduction.h"
#include "runtime-hooks/runtimes/yields/runtime_yield.h"
#include "runtime-hooks/teams/barrier_free_regions.h"
#include "runtime-hooks/teams/fold_reason.h"
#include "waiting/wait_stats.h"

namespace muster {

class Fold;
struct FirstShare;
class Team;
class ThreadCounters;
struct Member;
struct Runtime;

// A thread's place in a parallel region, pushed by the wrapper around the region's function. Frames
// live on the stack of that wrapper and form a list to the outer regions.
struct Frame {
  Frame* outer = nullptr;
  Runtime* runtime = nullptr;         // that runs the region
  Team* team = nullptr;               // null: unknown, every barrier goes to the real runtime
  Member* me = nullptr;               // null until the first barrier or task of the region asks
  unsigned thread = 0;                // number within the team, valid with `me`
  unsigned serialized = 0;            // serialized regions entered inside this one
  bool at_real_barrier = false;       // a task runs here, not the region itself
  bool between_regions = false;       // of a fork inside a region: see ForkScope
  bool met_barrier = false;           // a barrier of the region has asked for the team
  bool gathered_otherwise = false;    // the last gather was called off, as this thread knows
  FirstShare* first_share = nullptr;  // until the region's function asks for it (combined_region.h)
  Reduction reduction = Reduction::kReal;                  // how the present one is done
  PassReason unknown_because = PassReason::kUnknownFrame;  // with a null team
  // Code that is known to be bound to the team's runtime: the object that called last.
  std::uintptr_t caller_begin = 0;
  std::uintptr_t caller_end = 0;
};

inline constexpr unsigned kSpareTeams = 4;

struct alignas(kCoherenceGranule) ThreadState {
  Frame* top = nullptr;
  Team* spare[kSpareTeams] = {};  // this thread's teams of the last regions, by fork depth
  unsigned fork_depth = 0;
  ThreadCounters* counters = nullptr;  // null where nobody counts (counted_region.h)
  BarrierFreeRegions barrier_free;
  std::atomic<Fold*> root_fold{nullptr};  // null until the thread first runs a region at level 0
  Fold* fold = nullptr;  // in whose region or serial part it is: its own, or its primary thread's
  Tally regions;
  Tally folded;  // of these
  Tally unfolded[kUnfoldedReasons];
  Tally replaced[kEntries];
  Tally passed[kEntries];
  Tally reasons[kPassReasons];
  RuntimeYield yields;
  YieldCounts yield_counts;
  ThreadState* next = nullptr;  // all states ever made
  std::atomic<bool> taken{false};
  bool is_ending = false;  // its thread has begun to end
};

// One pointer of initial-exec TLS: no call and no allocation to find it. Null until first used.
extern thread_local constinit ThreadState* t_thread_state
    __attribute__((tls_model("initial-exec")));

ThreadState* new_thread_state();

// The calling thread's state. Null when there is no memory, and for all threads of the process where
// has_thread_states() is false.
inline ThreadState* thread_state() {
  ThreadState* state = t_thread_state;
  return state != nullptr ? state : new_thread_state();
}

// Whether threads can have states: by the one key of the C library's that Muster sets. A program may take all
// the others. Reserved once, when the library is loaded or earlier.
void reserve_thread_states();
bool has_thread_states();

// Whether that key's destructor runs before those of all others.
bool state_key_comes_first();

// `function` is called by each thread that has a state when it ends, and not by exit(): first of all that
// its keys make it do, as far as those were made later. When the library is loaded.
void at_end_of_threads(void (*function)());

// Calls run(data). For a thread of a region that can have no state for want of memory: all threads of a
// team must take the same way. Until then it has one on its stack, whose counts are lost.
void with_spare_state(void (*run)(void*), void* data);

// For a function that has found itself without a state: calls it again, with one. Apart, since what it needs for that is
// nothing that each thread should have on its stack.
template <auto kRun, class... Arguments>
__attribute__((noinline)) void again_with_spare_state(Arguments... arguments) {
  auto again = [&] { kRun(arguments...); };
  with_spare_state([](void* data) { (*static_cast<decltype(again)*>(data))(); }, &again);
}

// The list of all states, for the report. Never shrinks.
ThreadState* first_thread_state();

// In the child of a fork: only the caller's thread lives on, counts begin anew, and whatever
// regions it is in are unknown, since the runtime has begun anew too.
void threads_after_fork();

}  // namespace muster
