// A stream of Peter et al. (section 4), as epcc/stream_clustering.cpp has it: its packets come in bursts, and
// whenever there are enough a team updates the stream's clusters, in many intervals of computing with a
// barrier after each. The first thread sleeps until an update is due, the others wait for it at a barrier. An
// update that is late makes the next one later.
#pragma once

#include "sim/smp/jobs.h"

namespace muster::smp {

// Waits at barriers as make_two_phase's. `plan` has a stream.
std::unique_ptr<Job> make_stream(const JobPlan& plan, unsigned number, Time budget);

}  // namespace muster::smp
