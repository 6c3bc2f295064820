// Moving the calling thread to another of its CPUs, so that nobody can tell.
//
// The contract. A thread moves by setting its mask to where it wants to go and back, in one call in
// here, and with all signals blocked: no code of the program ever runs in a thread whose affinity is
// not the program's, nothing can inherit ours, and there is nothing to give back later. It begins
// only in the wait of a thread at a barrier of Muster's, and ends in the same call. Between the two
// sets, some microseconds, or until the CPU has a turn for the thread, others could see our mask or
// have theirs overwritten:
// - Other threads of the process: whoever is about to look at or set another thread's affinity calls
//   end_moves() first (preload/thunks/inheriting_calls.cpp). It comes back when no move is under way,
//   and none begins any more for as long as the process lives.
// - Other processes (taskset, a cpuset that changes), /proc, and system calls that the C library
//   does not make: a mask that somebody sets is left as it is when the thread comes back. Lost is
//   only one that falls between two system calls here, or that is the very CPU.
//
// The kernel remembers which mask was asked for, and a cpuset that grows later is cut by that. So the
// way back asks for every CPU there is, where that gives the thread its mask again: as a thread that
// never asked.
#pragma once

#include "platform/affinity.h"
#include "platform/cpus.h"

namespace muster {

// False, and nothing changed, when `cpu` is not among the thread's, when it may use only one (then
// somebody has placed it already), after end_moves(), or when the kernel refuses. Does not mean that
// the thread stays there: the kernel moves it as it does any other.
bool move_to(unsigned cpu);

// The same to any other of its CPUs.
bool leave_cpu(unsigned cpu);

// No thread of this process is moved any more, and none is being moved. May be called anywhere, any
// number of times; errno stays.
void end_moves();

// In the child of a fork: moves that were under way in the parent's threads are not its own.
void moves_after_fork_in_child();

}  // namespace muster
