// Muster's state of a thread: the stack of team frames and the thread's counts.
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
class SiteTable;
struct FirstShare;
class Team;
class ThreadCounters;
class ThreadTimeline;
struct Member;
struct Runtime;

// A thread's place in a parallel region, pushed by the wrapper around the region's function. Frames are on the stack
// of that wrapper and form a list from the innermost region outwards.
struct Frame {
  Frame* outer = nullptr;
  Runtime* runtime = nullptr;         // of the region
  Team* team = nullptr;               // null: unknown, all barriers are the runtime's
  Member* me = nullptr;               // null until the region's first barrier or task
  unsigned thread = 0;                // number within the team, valid with `me`
  unsigned serialized = 0;            // serialized regions entered inside this one
  bool at_real_barrier = false;       // a task may run here, not the region itself
  bool between_regions = false;       // see BetweenRegions
  bool met_barrier = false;           // a barrier of the region was executed
  bool is_alone = false;              // a region that must have one thread (lost_threads.h)
  bool gathered_otherwise = false;    // the last gather was called off, and this thread knows
  const void* function = nullptr;     // of the region, for its call sites
  FirstShare* first_share = nullptr;  // until the region's function takes it (combined_region.h)
  Reduction reduction = Reduction::kReal;                  // the method of the current one
  PassReason unknown_because = PassReason::kUnknownFrame;  // with a null team
  // The object that called last, which is bound to the team's runtime.
  std::uintptr_t caller_begin = 0;
  std::uintptr_t caller_end = 0;
};

// Of a root thread: libgomp's, one bit for each that is loaded (lost_threads.h).
struct ThreadPools {
  std::uint64_t live = 0;
  std::uint64_t lost = 0;       // their threads are in the parent process
  unsigned targets_around = 0;  // target regions on the host, in which the thread has other pools
};

inline constexpr unsigned kSpareTeams = 4;

struct alignas(kCoherenceGranule) ThreadState {
  Frame* top = nullptr;
  Team* spare[kSpareTeams] = {};  // this thread's teams of the last regions, by fork depth
  unsigned fork_depth = 0;
  ThreadCounters* counters = nullptr;  // null unless counting (counted_region.h)
  ThreadTimeline* timeline = nullptr;  // null without MUSTER_TIMELINE
  SiteTable* sites = nullptr;          // null without MUSTER_SITES
  BarrierFreeRegions barrier_free;
  ThreadPools pools;
  std::atomic<Fold*> root_fold{nullptr};  // null until the thread first runs a region at level 0
  Fold* fold = nullptr;  // the fold in which the thread is: its own or its primary thread's
  Tally regions;
  Tally folded;  // of these
  Tally unfolded[kUnfoldedReasons];
  Tally replaced[kEntries];
  Tally passed[kEntries];
  Tally reasons[kPassReasons];
  std::atomic<unsigned> largest_region{0};  // of those that executed no barrier
  Tally loops_computed;
  Tally loops_passed;
  RuntimeYield yields;
  YieldCounts yield_counts;
  ThreadState* next = nullptr;  // all states ever made
  std::atomic<bool> taken{false};
  bool is_ending = false;  // its thread has begun to exit
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

// Whether threads can have states, which needs a thread-specific key of the C library; a program may use up all keys.
// Reserved once, when the library is loaded or earlier.
void reserve_thread_states();
bool has_thread_states();

// Whether that key's destructor runs before those of all others.
bool state_key_comes_first();

// `function` is called by each thread with a state when it ends, but not by exit(): before the destructors of all
// keys that were made later. To be set when the library is loaded.
void at_end_of_threads(void (*function)());

// Calls run(data), for a thread of a region that has no state for lack of memory: all threads of a team must act alike.
// Meanwhile it has a state on its stack, whose counts are lost.
void with_spare_state(void (*run)(void*), void* data);

// For a function that finds no state: calls it again, with one. Not inlined, so that other threads need no stack for
// it.
template <auto kRun, class... Arguments>
__attribute__((noinline)) void again_with_spare_state(Arguments... arguments) {
  auto again = [&] { kRun(arguments...); };
  with_spare_state([](void* data) { (*static_cast<decltype(again)*>(data))(); }, &again);
}

// The list of all states, for the report. Never shrinks.
ThreadState* first_thread_state();

// In the child of a fork: only the caller's thread exists, counts start at zero, and regions that it is in are unknown,
// because the runtime starts again, too.
void threads_after_fork();

}  // namespace muster
