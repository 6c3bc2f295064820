// The registry on the checked memory: compiled once, as native_registry.h says of its own.
#pragma once

#include "barriers/registry.h"
#include "tests/model/checked_memory.h"

namespace muster {

template <>
const BarrierOps<model::CheckedMemory>* barrier_ops<model::CheckedMemory>(BarrierKind barrier);

}  // namespace muster
