// The C library as libmuster.so needs it: what is there, not what it is called.
#pragma once

#include <signal.h>

#ifdef __cplusplus
extern "C" {
#endif

// Whether the C library has every function that Muster calls. musl has not: there Muster does nothing, in processes that
// inherit LD_PRELOAD from one of glibc's.
__attribute__((visibility("hidden"))) int muster_c_library_is_complete(void);

// The C library's; libmuster.so exports `sigaction`, for others.
__attribute__((visibility("hidden"))) int muster_sigaction(int number,
                                                           const struct sigaction* action,
                                                           struct sigaction* old);

// As dlvsym, which libmuster.so exports as well (runtime-hooks/objects/c_library.cpp).
__attribute__((visibility("hidden"))) void* muster_dlvsym(void* handle, const char* name,
                                                          const char* version);

// The address of the C library's own definition, or null (runtime-hooks/objects/c_library.cpp).
__attribute__((visibility("hidden"))) void* muster_find_in_c_library(const char* name);

#ifdef __cplusplus
}
#endif
