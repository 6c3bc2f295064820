// Settings that the runtimes read from the environment and that no query returns.
#pragma once

#include "runtime-hooks/runtimes/runtime.h"

namespace muster {

// Whether the threads of a region inherit the floating-point control words of the forking thread:
// KMP_INHERIT_FP_CONTROL of libomp and libiomp5, on by default. Never so in libgomp.
extern bool g_fp_is_inherited;
inline bool fp_is_inherited(const Runtime& runtime) {
  return g_fp_is_inherited && runtime.kind != RuntimeKind::kLibgomp;
}

// Whether teams are displayed when they are made or change (OMP_DISPLAY_AFFINITY). A fold would change which teams
// are made.
extern bool g_affinity_is_displayed;

// To be called when the library is loaded, which is when libgomp reads it, and before the first fold, for the others.
void read_environment();

}  // namespace muster
