#include "tests/chaos/chaos_registry.h"

namespace muster {

template <>
const BarrierOps<chaos::ChaosMemory>* barrier_ops<chaos::ChaosMemory>(BarrierKind barrier) {
  return detail::look_up<chaos::ChaosMemory>(barrier);
}

}  // namespace muster
