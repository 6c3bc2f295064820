#include "tests/model/checked_registry.h"

namespace muster {

template <>
const BarrierOps<model::CheckedMemory>* barrier_ops<model::CheckedMemory>(BarrierKind barrier,
                                                                          WaitKind wait) {
  return detail::look_up<model::CheckedMemory>(barrier, wait);
}

}  // namespace muster
