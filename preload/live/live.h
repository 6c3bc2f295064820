// Shows the process's report while it runs.
//
// Contract. Begins at the process's first OpenMP call, with MUSTER_LIVE=on only. A thread of Muster's gathers the
// report every second, with all signals blocked. So the program has one thread more, and a file in /dev/shm that only
// its user may read. At a normal end the file is removed. After SIGKILL, a crash or _exit it stays: the last state.
// A child of fork shows nothing.
#pragma once

namespace muster {

void begin_live();
void end_live();
void live_after_fork();

}  // namespace muster
