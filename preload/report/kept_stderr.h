// Standard error as it was when the process began, for programs that close it before they exit.
#pragma once

namespace muster {

// Keeps a copy of the descriptor. To be called only if a report is to be written there: the program could see the
// descriptor, which is close-on-exec, at a high number and closed in children of a fork.
void keep_stderr();

// Where a report on stderr goes: the program's descriptor, or the copy if that is closed.
int stderr_of_report();

}  // namespace muster
