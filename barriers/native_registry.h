// The registry on the machine's own memory, compiled once in native_registry.cpp: algorithms times policies are a lot
// of code.
#pragma once

#include "barriers/registry.h"
#include "platform/native_memory.h"

namespace muster {

template <>
const BarrierOps<NativeMemory>* barrier_ops<NativeMemory>(BarrierKind barrier);

}  // namespace muster
