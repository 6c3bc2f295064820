// The processes of a gang: all descendants of its keeper, as /proc lists them.
#pragma once

#include <sys/types.h>

#include <vector>

namespace gang {

struct Process {
  pid_t id = 0;
  char state = '?';  // as /proc has it: R, S, D; T stopped, t stopped by a tracer
  std::vector<pid_t> threads;

  bool stopped() const { return state == 'T' || state == 't'; }
};

// Of `root`, which has one thread; without itself and without zombies. Processes that are created or orphaned during the
// call may be missing; a caller that needs all of them calls again until no new one appears.
std::vector<Process> descendants(pid_t root);

// The two implementations. The second is for kernels without /proc/PID/task/TID/children; it reads the parent of every
// process of the machine.
std::vector<Process> descendants_by_children(pid_t root);
std::vector<Process> descendants_by_scan(pid_t root);

}  // namespace gang
