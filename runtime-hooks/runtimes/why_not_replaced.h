// Why a runtime's barriers are not replaced.
#pragma once

#include "runtime-hooks/runtimes/runtime.h"

namespace muster {

// A reason where something depends on the runtime's own barriers: a tool that observes them (OMPT, ITT), checks that
// are part of them (KMP_CONSISTENCY_CHECK, ThreadSanitizer's Archer), or cancellation, whose barriers may be left
// early. Or where the runtime lacks a function that Muster needs. kNone: its barriers are replaced.
PassReason why_not_replaced(const Runtime& runtime);

}  // namespace muster
