// The processes of a gang: whatever descends from its keeper, by /proc.
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

// Without `root` itself, and without the dead that nobody has waited for yet. One look: who is made
// or orphaned meanwhile may be missing, so whoever needs all of them looks until nobody new is
// there.
std::vector<Process> descendants(pid_t root);

// How it finds a process's children; the second way is for kernels without
// /proc/PID/task/TID/children and looks at every process of the machine.
std::vector<Process> descendants_by_children(pid_t root);
std::vector<Process> descendants_by_scan(pid_t root);

}  // namespace gang
