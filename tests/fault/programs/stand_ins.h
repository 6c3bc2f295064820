// For objects that are preloaded before Muster and stand in for functions of the C library. What a program may define,
// Muster looks up in the C library itself (platform/c_library/bound.c), so the stand-in is given to that lookup.
// Needs _GNU_SOURCE.
#pragma once
#include <dlfcn.h>
#include <stddef.h>

static void* stand_in_for(const char* name);

void* dlsym(void* handle, const char* name) {
  static void* (*real)(void*, const char*);
  if (real == NULL) real = (void* (*)(void*, const char*))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
  void* found = handle != RTLD_NEXT && handle != RTLD_DEFAULT ? stand_in_for(name) : NULL;
  if (found != NULL) return found;
  __attribute__((musttail)) return real(handle, name);  // it looks at its caller
}
