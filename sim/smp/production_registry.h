// Which of Muster's barrier code stands behind the names, on the simulated memory. In a file of its own, as
// all algorithms with all policies take long to compile.
#pragma once

#include "barriers/barrier_state.h"
#include "options/barrier_names.h"
#include "options/wait_names.h"
#include "sim/smp/simulated_memory.h"

namespace muster::smp {

const BarrierOps<SimulatedMemory>* simulated_barrier_ops(BarrierKind barrier);

}  // namespace muster::smp
