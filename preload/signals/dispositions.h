// Signals whose default action ends the process. While the program's disposition of one is the default, Muster handles
// it: the report is written, then the process ends by the signal, with the same wait status.
//
// Contract. Begins at the process's first OpenMP call, if a report was asked for, never in process 1 of a namespace,
// for which the kernel ignores a default action. The program cannot observe it through the C library: the functions that
// read or set a disposition are interposed (entries.cpp), and Muster's handler is not installed while they run. A
// handler of the program, or an ignored signal, is not touched. exec resets the handler to the default, as it was. A
// child of fork has the handler; a child of vfork, which shares memory with its parent, ends at once. Core dumps stay
// as they are: signals that write one are not handled. What remains: the bits of SigCgt in /proc/PID/status, and
// programs that make the system call themselves (Go's runtime chains to what it finds). And a thread in a wait of the
// kernel that only SIGKILL and default actions end (vfork, a file server that does not answer) ends after that wait.
#pragma once

#include <csignal>

namespace muster {

using SignalHandler = void (*)(int);

// From now on. `on_signal` is called in a handler, with all signals blocked, before the process ends.
void handle_default_dispositions(void (*on_signal)());

// For the end of the process by exit(): the program's dispositions are in force again.
void restore_default_dispositions();

// To be called in the child of a fork.
void dispositions_after_fork();

// The program's disposition of `signal` is in force while this lives, also if the program changes it meanwhile.
// Preserves errno. Async-signal-safe.
class ProgramsDisposition {
 public:
  explicit ProgramsDisposition(int signal);
  ~ProgramsDisposition();
  ProgramsDisposition(const ProgramsDisposition&) = delete;
  ProgramsDisposition& operator=(const ProgramsDisposition&) = delete;

 private:
  int place_;  // in the list of handled signals; -1: nothing to do
  sigset_t mask_;
};

// The same for good, for functions that also change the signal mask.
void leave_disposition(int signal);

}  // namespace muster
