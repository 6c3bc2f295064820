// For platform/c_library/: functions of the C library itself, whatever else in the process has their names.
//
// From the object's own table: dlsym needs a handle, and dlopen allocates to give one. The first call may come from an
// allocator that is starting up and asks for a key or for its affinity.
#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <link.h>

#include <cstring>

#include "platform/c_library/bound.h"
#include "runtime-hooks/objects/dynamic_symbols.h"
#include "runtime-hooks/objects/loaded_objects.h"

namespace muster {
namespace {

// Before glibc 2.34, libc.so was not all of it.
bool is_c_library(const char* path) {
  return std::strstr(path, "/" LIBC_SO) != nullptr ||
         std::strstr(path, "/" LIBPTHREAD_SO) != nullptr ||
         std::strstr(path, "/" LIBDL_SO) != nullptr;
}

}  // namespace

// The objects of the process's start, which are never unloaded, come first in the list.
extern "C" void* muster_find_in_c_library(const char* name) {
  const auto* loader = static_cast<const r_debug*>(dlsym(RTLD_DEFAULT, "_r_debug"));
  if (loader == nullptr) {  // musl
    void* const next = dlsym(RTLD_NEXT, name);
    dlerror();  // clears the error: the program's next dlerror() is about its own calls
    return next;
  }
  for (const link_map* each = loader->r_map; each != nullptr; each = each->l_next) {
    if (!is_c_library(each->l_name)) continue;
    LoadedObject object;
    object.base = each->l_addr;
    object.dynamic = each->l_ld;
    const ElfW(Sym)* found = definition_of(dynamic_symbols_of(object), name, nullptr);
    if (found != nullptr) return reinterpret_cast<void*>(object.base + found->st_value);
  }
  return nullptr;
}

}  // namespace muster
