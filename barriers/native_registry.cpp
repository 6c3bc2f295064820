#include "barriers/native_registry.h"

namespace muster {

template <>
const BarrierOps<NativeMemory>* barrier_ops<NativeMemory>(BarrierKind barrier) {
  return detail::look_up<NativeMemory>(barrier);
}

const BarrierOps<NativeMemory>* auto_barrier_ops(BarrierKind barrier) {
  return detail::look_up<NativeMemory, AutoWait>(barrier);
}

}  // namespace muster
