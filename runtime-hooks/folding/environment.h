// What the runtimes take from the environment and do not tell.
#pragma once

#include "runtime-hooks/runtimes/runtime.h"

namespace muster {

// Whether the threads of a region take the floating-point control of the one that forks it:
// libomp's and libiomp5's KMP_INHERIT_FP_CONTROL, on unless switched off. libgomp's never do.
extern bool g_fp_is_inherited;
inline bool fp_is_inherited(const Runtime& runtime) {
  return g_fp_is_inherited && runtime.kind != RuntimeKind::kLibgomp;
}

// Whether a team is displayed when it is made or changes (OMP_DISPLAY_AFFINITY): a fold makes other teams
// than the program.
extern bool g_affinity_is_displayed;

// When the library is loaded, when libgomp reads it, and before the first fold, when the others do.
void read_environment();

}  // namespace muster
