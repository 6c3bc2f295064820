// Two ways lead to a runtime past Muster: an object that is opened with RTLD_DEEPBIND is bound to its own dependencies
// first, and dlsym with an object's handle gives the runtime's own functions. A region that comes so would be nested in
// the calling thread's fold, if one is open, and get one thread. So the words of such an object are set to the thunks of
// its runtime's bank (thunk_banks.h), and such a look-up gives a thunk of that bank. Where that cannot be done, nothing
// is folded from then on.
#pragma once

#include <cstdint>

namespace muster {

// Before dlopen(file, mode). With RTLD_DEEPBIND the calling thread's fold is closed: the first call of what is loaded may
// come before its words are set.
void before_opening(const char* file, int mode, const void* caller);

// To be called instead of dlsym, or instead of dlvsym, with these arguments; null: the C library's.
void* look_up_instead(void* handle, const char* name, bool with_version, const void* caller);

}  // namespace muster
