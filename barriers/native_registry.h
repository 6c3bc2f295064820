// The registry on the machine's own memory. Algorithms times policies are a lot of code: it is compiled
// once, in native_registry.cpp, and not by whoever asks.
#pragma once

#include "barriers/registry.h"
#include "platform/native_memory.h"

namespace muster {

template <>
const BarrierOps<NativeMemory>* barrier_ops<NativeMemory>(BarrierKind barrier);

}  // namespace muster
