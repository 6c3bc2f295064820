// The registry on the machine's own memory, compiled once in native_registry.cpp.
#pragma once

#include "barriers/registry.h"
#include "platform/native_memory.h"

namespace muster {

template <>
const BarrierOps<NativeMemory>* barrier_ops<NativeMemory>(BarrierKind barrier);

// The same for WaitKind::kAuto alone. The default has code of its own, without the choice at run time in each barrier.
const BarrierOps<NativeMemory>* auto_barrier_ops(BarrierKind barrier);

}  // namespace muster
