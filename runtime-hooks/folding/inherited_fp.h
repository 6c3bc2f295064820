// Whether the threads of a region take the floating-point control of the one that forks it:
// libomp's and libiomp5's KMP_INHERIT_FP_CONTROL, on unless switched off.
#pragma once

namespace muster {

extern bool g_fp_is_inherited;
inline bool fp_is_inherited() { return g_fp_is_inherited; }

// Before the first fold.
void read_fp_inheritance();

}  // namespace muster
