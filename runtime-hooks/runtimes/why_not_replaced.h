// Why a runtime's barriers are not replaced.
#pragma once

#include "runtime-hooks/runtimes/runtime.h"

namespace muster {

// A reason where something depends on the runtime's own barriers: a collector that observes them (ITT), an OMPT tool
// that cannot be served, checks that are part of them (KMP_CONSISTENCY_CHECK, ThreadSanitizer's Archer), or
// cancellation, whose barriers may be left early. Or where the runtime lacks a function that Muster needs. kNone: its
// barriers are replaced. `observed`: an OMPT tool gets its events. Initializes the runtime, which starts its tool.
PassReason why_not_replaced(const Runtime& runtime, bool& observed);

// When the library is loaded: sees to it that the tool of a runtime that is there can be served.
void expect_tool(void (*dlsym_thunk)());

}  // namespace muster
