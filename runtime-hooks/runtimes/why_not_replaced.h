// When a runtime keeps all its barriers.
#pragma once

#include "runtime-hooks/runtimes/runtime.h"

namespace muster {

// True, with the reason, where somebody relies on the runtime's own barriers: a tool that is told
// of them (OMPT, ITT), checks that live in them (KMP_CONSISTENCY_CHECK, ThreadSanitizer's Archer),
// or cancellation, whose barriers may be left early. True as well for a runtime that Muster does
// not know enough about.
bool why_not_replaced(const Runtime& runtime, PassReason& reason);

}  // namespace muster
