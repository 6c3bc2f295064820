// Barriers of a runtime that an OMPT tool observes (runtimes/ompt_tool.h). All calls but the barrier's, and those that
// create tasks, go to the runtime as if Muster were not there, forks included: the tool sees the program's own calls.
// So there are no frames. A thread asks the runtime for its team at each barrier; Muster's team belongs to the address
// of the runtime's, which outlives its regions.
//
// May begin: in any thread. What the tool could observe meanwhile: `enter_frame` of the task and ompt_get_state() are
// set as the runtime sets them. Ends in the same call.
#pragma once

#include "runtime-hooks/runtimes/runtime.h"
#include "runtime-hooks/teams/thread_state.h"

namespace muster {

// __kmpc_barrier. False: the caller must go on to the runtime's function, as must all of its team.
bool observed_barrier(Runtime& runtime, const abi::Ident* where, const void* caller,
                      void* enter_frame);

// The calling thread creates a task, or something else that only the real barrier can finish.
void note_observed_task(Runtime& runtime, bool lasting);

// For when_unloaded(), and in the child of a fork: the runtime's teams are gone.
void forget_observed_teams(const Gone& gone);
void observed_teams_after_fork();

}  // namespace muster
