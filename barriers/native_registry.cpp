#include "barriers/native_registry.h"

namespace muster {

template <>
const BarrierOps<NativeMemory>* barrier_ops<NativeMemory>(BarrierKind barrier) {
  return detail::look_up<NativeMemory>(barrier);
}

}  // namespace muster
