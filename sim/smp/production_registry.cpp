#include "sim/smp/production_registry.h"

#include "barriers/registry.h"

namespace muster::smp {

const BarrierOps<SimulatedMemory>* simulated_barrier_ops(BarrierKind barrier) {
  return barrier_ops<SimulatedMemory>(barrier);
}

}  // namespace muster::smp
