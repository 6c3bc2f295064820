// Moving the calling thread to another of its CPUs, invisibly to the program.
//
// The contract. A thread moves by setting its mask to the target and back in one call of a function here, with all
// signals blocked. No code of the program ever runs in a thread whose affinity is not the program's, nothing can
// inherit ours, and there is nothing to restore later. A move begins only while a thread waits at a barrier of Muster,
// and ends in the same call. Between the two sets (some microseconds, or until the CPU schedules the thread) others
// could see our mask or have theirs overwritten:
// - Other threads of the process: a thread that is about to read or set another thread's affinity calls end_moves()
//   first (preload/thunks/inheriting_calls.cpp). It returns when no move is under way, and no move begins after it for
//   the lifetime of the process.
// - Other processes (taskset, a cpuset that changes), /proc, and system calls that bypass the C library: a mask that
//   they set is kept when the thread comes back. It is lost only if it is set between two system calls here, or if it
//   consists of the target CPU.
//
// The kernel remembers the requested mask and applies it when a cpuset grows later. So the way back requests all
// existing CPUs if that gives the thread its mask again: as for a thread that never set one.
#pragma once

#include "platform/affinity.h"
#include "platform/cpus.h"

namespace muster {

// False, with nothing changed, if `cpu` is not among the thread's, if it may use only one (then it is placed already),
// after end_moves(), or if the kernel refuses. The thread need not stay there: the kernel may move it like any other.
bool move_to(unsigned cpu);

// The same, to any of its CPUs other than `cpu`.
bool leave_cpu(unsigned cpu);

// When it returns, no thread of this process is being moved, and none will be. May be called anywhere, any number of
// times; errno is preserved.
void end_moves();

// For the child of a fork: moves that were under way in the parent's threads do not concern it.
void moves_after_fork_in_child();

}  // namespace muster
