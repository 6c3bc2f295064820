// Whether a runtime has entry points that Muster does not know, because it is newer than the lists of entry-points/.
// Such a call would not close a fold, so no region of the runtime may be folded.
#pragma once

#include "runtime-hooks/runtimes/runtime.h"

namespace muster {

// The name of the first one, valid as long as the runtime is loaded; null if all are known. Walks the runtime's symbol
// table (about 100 us): to be called once, before the first fold.
const char* unknown_entry_point(const Runtime& runtime);

}  // namespace muster
