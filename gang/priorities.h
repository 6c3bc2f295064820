// Turns by priorities: the threads of the gangs that wait are SCHED_IDLE, below every ordinary
// thread; those of the gang whose turn it is are what they would be without `gang`. So whoever
// waits runs where the others leave a processor idle, the rest of the machine competes as ever,
// and nothing has to be put right for whoever's turn it is.
//
// Not by real-time priorities, which would rank more strictly still: the kernel spins in places
// where it waits for another thread (for one in release_task, when a process that /proc was asked
// about has ended), and where that other one is a real-time thread of lower priority, it waits for
// ever. Tried here, that took a whole machine. And not by nice values alone: at 19, the lowest, who
// waits still has its slices more often than once in a tenth of a second.
//
// SCHED_IDLE ranks within a session only where the kernel groups processes by session
// ("autogroup"), so who has a session of its own is stopped by signals in any case: hold.h.
#pragma once

#include <sys/types.h>

#include <string>

namespace gang {

// The policy that `gang` was started with, and so its programs' where they set no other.
int own_policy();

// Empty where priorities may be lowered and put back, or why not.
std::string why_no_priorities(int plain);

// For `gang` and its keepers: short slices, so that the kernel lets them in at once. What they
// start must leave() again.
void enter_short_slices();
void leave_short_slices();

// 1 where the thread was changed, 0 where it was so, has ended, or has a policy of its own
// choosing; -1 with errno where it is not allowed.
int lower(pid_t thread, int plain);
int put_back(pid_t thread, int plain);

}  // namespace gang
