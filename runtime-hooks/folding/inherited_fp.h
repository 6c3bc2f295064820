// Whether the threads of a region take the floating-point control of the one that forks it:
// libomp's and libiomp5's KMP_INHERIT_FP_CONTROL, on unless switched off. libgomp's never do.
#pragma once

#include "runtime-hooks/runtime.h"

namespace muster {

extern bool g_fp_is_inherited;
inline bool fp_is_inherited(const Runtime& runtime) {
  return g_fp_is_inherited && runtime.kind != RuntimeKind::kLibgomp;
}

// Before the first fold.
void read_fp_inheritance();

}  // namespace muster
