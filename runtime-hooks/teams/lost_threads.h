// libgomp's thread pools in the child of a fork. A thread that forks a team outside any region keeps the team's other
// threads in a pool for its next regions. fork() copies the pool, not its threads. So in the child libgomp waits for
// threads that do not exist, at the end of the thread's next region at the latest. Facts, of gcc 9 to 16's team.c:
// - A team of one thread does not use the pool. So in the child the thread's regions get one thread, and so do the
//   regions nested in them.
// - All else works in the child, and stays as it is: regions of threads that had no team, or released its threads by
//   omp_pause_resource; regions nested in one of one thread that the program asked for, whose threads are new ones; and
//   target regions on the host, in which libgomp takes the thread for a new one.
// libomp and libiomp5 begin anew in the child.
#pragma once

#include "runtime-hooks/runtimes/runtime.h"
#include "runtime-hooks/teams/thread_state.h"

namespace muster {

// Whether the process is a child in which the forking thread has lost threads. Written by that thread only, when it is
// the only one.
extern constinit bool g_threads_are_lost;

// Whether libgomp would use a lost pool now: the calling thread is in no region, or in one that must be alone.
bool would_use_lost_pool(const Runtime& runtime);
// Whether a region that the calling thread begins must have one thread. `asked`: its size by the call, or 0. Calls the
// observer the first time.
bool begins_alone(const Runtime& runtime, unsigned asked);

inline bool must_be_alone(const Runtime& runtime, unsigned asked) {
  return g_threads_are_lost && begins_alone(runtime, asked);
}

// Called once in a process, at the first region that must have one thread. Set before the first call.
using LostThreadsObserver = void (*)(const Runtime& runtime);
void observe_lost_threads(LostThreadsObserver observer);

// Whether the thread may be about to make its pool. Its region then calls note_pool().
bool may_make_pool(const ThreadState& state, const Runtime& runtime);
// By the threads of a region, in it.
void note_pool(const Runtime& runtime);
// By its primary thread, where the team has more than one thread and is in no other region.
void note_pool(ThreadState& state, const Runtime& runtime);
// The calling thread releases its pool: omp_pause_resource, whose first call in a process must not make the runtime
// initialize itself. If it fails, the child of a fork is as without Muster.
void forget_pool(const Runtime& runtime);
// What omp_pause_resource returns that did not.
constexpr int nothing_paused() { return -1; }

// In the child of a fork: the calling thread's pools are lost. `remedy`: false with MUSTER_FORK=native.
void pools_after_fork(ThreadState* forking, bool remedy);

}  // namespace muster
