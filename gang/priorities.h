// Turns by priorities. The threads of waiting gangs are SCHED_IDLE, below every ordinary thread. Those of the gang
// whose turn it is keep the priorities that they have without `gang`. So waiting gangs use processors that would be
// idle, other processes of the machine compete as usual, and the running gang needs no changes.
//
// Real-time priorities would be stricter, but they can hang the machine. The kernel spins in places where it waits for
// another thread (in release_task, for a process that ends while /proc is read), and never stops if that is a real-time
// thread of lower priority. Nice values are too weak: at 19, the lowest, a waiting thread still gets a slice more often
// than every tenth of a second.
//
// Where the kernel groups processes by session ("autogroup"), SCHED_IDLE ranks within a session only. So processes in
// sessions of their own are always stopped by signals (hold.h).
#pragma once

#include <sys/types.h>

#include <string>

namespace gang {

// The policy that `gang` was started with. Its programs inherit it.
int inherited_policy();

// Empty if priorities may be lowered and restored, else the reason why not.
std::string why_no_priorities(int plain);

// Short slices for `gang` and its keepers, so that they run as soon as they wake. Programs that they start must call
// leave_short_slices().
void enter_short_slices();
void leave_short_slices();

// 1: changed. 0: nothing to change, since the thread has that policy already, has set another one itself, or has ended.
// -1 with errno: not permitted.
int lower(pid_t thread, int plain);
int restore(pid_t thread, int plain);

}  // namespace gang
