#include "sim/smp/production_registry.h"

#include "barriers/registry.h"

namespace muster::smp {

const BarrierOps<SimulatedMemory>* simulated_barrier_ops(BarrierKind barrier, WaitKind wait) {
  return barrier_ops<SimulatedMemory>(barrier, wait);
}

}  // namespace muster::smp
