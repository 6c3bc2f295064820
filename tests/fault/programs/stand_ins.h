// For objects that are preloaded before Muster and stand in for functions of the C library. What a program may define,
// Muster looks up in the C library itself (runtime-hooks/objects/c_library.cpp): to that look-up, this object is a part
// of it. Needs _GNU_SOURCE.
#pragma once
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

static void* list_with_this(const struct r_debug* real) {
  static struct link_map here;
  static struct r_debug list;
  Dl_info info;
  struct link_map* found = NULL;
  dladdr1((const void*)list_with_this, &info, (void**)&found, RTLD_DL_LINKMAP);
  here = (struct link_map){found->l_addr, "/libc.so.6", found->l_ld, real->r_map, NULL};
  list.r_map = &here;
  return &list;
}

void* dlsym(void* handle, const char* name) {
  static void* (*real)(void*, const char*);
  if (real == NULL) real = (void* (*)(void*, const char*))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
  if (strcmp(name, "_r_debug") == 0) return list_with_this(real(handle, name));
  __attribute__((musttail)) return real(handle, name);  // it looks at its caller
}
