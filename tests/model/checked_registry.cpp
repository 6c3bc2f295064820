#include "tests/model/checked_registry.h"

namespace muster {

template <>
const BarrierOps<model::CheckedMemory>* barrier_ops<model::CheckedMemory>(BarrierKind barrier) {
  return detail::look_up<model::CheckedMemory>(barrier);
}

}  // namespace muster
