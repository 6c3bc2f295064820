// Whether a runtime has entry points that Muster knows nothing of: a version that is newer than the
// lists of entry-points/. Such a call could not be told from the serial part of a program, so that
// no region may be folded.
#pragma once

#include "runtime-hooks/runtimes/runtime.h"

namespace muster {

// The name of the first one; null if all are known. It lives as long as the runtime. Walks the
// runtime's symbol table (about 100 us): to be asked once, before the first fold.
const char* unknown_entry_point(const Runtime& runtime);

}  // namespace muster
