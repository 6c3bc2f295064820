// For `return f(...)` in a function of the same type as f: a jump, so that f sees the caller's frame and return address.
#pragma once

#if defined(__clang__)
#define MUSTER_TAIL_CALL [[clang::musttail]]
#else
#define MUSTER_TAIL_CALL  // gcc makes it one when it optimizes
#endif
