// The registry on the memory of chaos: compiled once, like native_registry.h.
#pragma once

#include "barriers/registry.h"
#include "tests/chaos/chaos_memory.h"

namespace muster {

template <>
const BarrierOps<chaos::ChaosMemory>* barrier_ops<chaos::ChaosMemory>(BarrierKind barrier);

}  // namespace muster
