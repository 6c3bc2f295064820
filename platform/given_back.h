// Muster changes a waiting thread's scheduling (its slice) only until the region ends: threads and processes that the
// thread creates afterwards would inherit it.
#pragma once

#include "platform/slice.h"

namespace muster {

// Restores the calling thread's scheduling as the program set it. Cheap if nothing was changed.
inline void give_everything_back() { give_slice_back(); }

}  // namespace muster
