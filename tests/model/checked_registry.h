// The registry on the checked memory: compiled once, like native_registry.h.
#pragma once

#include "barriers/registry.h"
#include "tests/model/checked_memory.h"

namespace muster {

template <>
const BarrierOps<model::CheckedMemory>* barrier_ops<model::CheckedMemory>(BarrierKind barrier);

}  // namespace muster
