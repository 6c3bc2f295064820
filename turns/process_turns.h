// The turns of this process: finds the user's page and says what the process wants.
//
// What a program could see. Nothing until a thread waits at a barrier while other processes want its CPUs. From then on
// a mapping of 64 kB that all such processes of the user share, which `ipcs` lists, until the last of them ends. No
// descriptor and no file. While other such processes are at work, threads sleep at barriers. Not with MUSTER_TURNS=off,
// not in a process with another user's rights, and not in one of several ranks of an MPI job.
#pragma once

#include <cstdint>

#include "turns/cpu_set.h"
#include "turns/turns.h"

namespace muster {

// Ready before any constructor ran, never destroyed.
Turns& process_turns();

// At the initialization, and in the child of a fork.
void begin_turns();
// The runtime binds the threads of a team to these CPUs.
void note_bound_cpus(const CpuSet& cpus);
// At the end of the process.
void end_turns();

}  // namespace muster
