// Whether the result of __kmpc_for_static_init_* and __kmpc_dist_for_static_init_* is only arithmetic (loop_share.h),
// so that Muster may compute it.
#pragma once

#include <atomic>

#include "runtime-hooks/runtimes/runtime.h"

namespace muster {

// Not if the environment changes how libomp shares a loop (KMP_SCHEDULE=static,greedy) or lets it print or report each
// call, nor if a tool interposes one of the functions. Runtimes that a tool observes are not replaced at all
// (why_not_replaced.h).
bool loops_are_arithmetic(const Runtime& runtime);

// kmp_set_defaults() sets what those variables set, whenever the program likes. After its first call, each loop goes to
// the runtime.
inline std::atomic<bool> g_defaults_set{false};

}  // namespace muster
