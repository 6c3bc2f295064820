// The C library as libmuster.so needs it: what is there, not what it is called.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// Whether the C library has every function that Muster calls. musl has not: there Muster does nothing, in processes that
// inherit LD_PRELOAD from one of glibc's.
__attribute__((visibility("hidden"))) int muster_c_library_is_complete(void);

#ifdef __cplusplus
}
#endif
