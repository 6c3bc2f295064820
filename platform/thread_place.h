// Keeping the calling thread on one CPU for a while, and giving back the affinity that it had.
//
// Whatever inherits a thread's affinity must not inherit ours: a thread gives it back before it
// forks a region or a process and when its region ends (runtime-hooks).
#pragma once

#include "platform/affinity.h"
#include "platform/cpus.h"

namespace muster {

namespace detail {
extern thread_local constinit unsigned t_stays_on __attribute__((tls_model("initial-exec")));
void give_place_back();
}  // namespace detail

// The CPU that stay_on() keeps the calling thread on; kNoCpu if none.
inline unsigned stays_on() { return detail::t_stays_on; }

// The mask that the thread had before, or has. False when it cannot be read.
bool own_affinity(AffinityMask& mask);

// How many CPUs the calling thread may use but for stay_on(); at least 1. One system call.
unsigned own_cpus();

// False, and nothing changed, when the kernel refuses, when `cpu` is not among the thread's, or
// when the thread may use only one anyway: then somebody has placed it already.
bool stay_on(unsigned cpu);

// Moves the calling thread to another of its CPUs, once: its mask is afterwards what it was. False
// when it has no other, stays on one, or the kernel refuses.
bool leave_cpu(unsigned cpu);

// Back to the mask from before stay_on(), unless somebody else has changed the mask since: theirs
// stays. Cheap when there is nothing to give back. Two limits, as the kernel neither says who set a
// mask nor exchanges one: somebody who chooses the very CPU that the thread stays on is not noticed,
// and a change that falls between a read and a set in here (a microsecond) is lost.
inline void give_place_back() {
  if (stays_on() != kNoCpu) [[unlikely]]
    detail::give_place_back();
}

}  // namespace muster
