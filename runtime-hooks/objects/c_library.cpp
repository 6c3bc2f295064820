// For platform/c_library/: functions of the C library itself, whatever else in the process has their names.
//
// From the object's own table: libmuster.so exports dlsym itself, and dlopen allocates. The first call may come from an
// allocator that is starting up and asks for a key or for its affinity.
#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <link.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "platform/c_library/bound.h"
#include "runtime-hooks/objects/dynamic_symbols.h"
#include "runtime-hooks/objects/loaded_objects.h"

namespace muster {
namespace {

// Before glibc 2.34, libc.so was not all of it.
bool is_c_library(const char* path) {
  const char* file = path;
  for (; *path != '\0'; ++path) file = *path == '/' ? path + 1 : file;
  return is_same_text(file, LIBC_SO) || is_same_text(file, LIBPTHREAD_SO) ||
         is_same_text(file, LIBDL_SO);
}

// Of the loader, or null: musl's has another name for it.
#pragma weak _r_debug

// musl is its own loader. Its ELF header is where the kernel has mapped that, or the program, if it was started as one:
// in the auxiliary vector, which follows the environment on the initial stack. No call is made: Muster's system calls
// need what is being looked for.
LoadedObject musl() {
  std::uintptr_t loader = 0;
  std::uintptr_t program = 0;
  char** word = __environ;
  const bool is_on_stack = reinterpret_cast<std::uintptr_t>(word) >
                           reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (!is_on_stack) return {};  // a copy, made by setenv
  while (*word != nullptr) ++word;
  const auto* value = reinterpret_cast<const ElfW(auxv_t)*>(word + 1);
  for (; value->a_type != AT_NULL; ++value) {
    if (value->a_type == AT_BASE) loader = value->a_un.a_val;
    if (value->a_type == AT_PHDR) program = value->a_un.a_val - sizeof(ElfW(Ehdr));
  }
  LoadedObject object;
  object.base = loader != 0 ? loader : program;
  if (object.base == 0) return object;
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(object.base);
  const auto* segment = reinterpret_cast<const ElfW(Phdr)*>(object.base + header->e_phoff);
  for (unsigned i = 0; i < header->e_phnum; ++i, ++segment) {
    if (segment->p_type == PT_DYNAMIC)
      object.dynamic = reinterpret_cast<const void*>(object.base + segment->p_vaddr);
  }
  return object;
}

void* defined_in(const LoadedObject& object, const char* name) {
  const ElfW(Sym)* found = object.dynamic != nullptr
                               ? definition_of(dynamic_symbols_of(object), name, nullptr)
                               : nullptr;
  return found != nullptr ? reinterpret_cast<void*>(object.base + found->st_value) : nullptr;
}

}  // namespace

// The objects of the process's start, which are never unloaded, come first in the list.
extern "C" void* muster_find_in_c_library(const char* name) {
  if (&_r_debug == nullptr) return defined_in(musl(), name);
  // By dlsym, except for itself: a test may have a list of its own.
  const bool is_first = is_same_text(name, "dlsym") || is_same_text(name, "dlvsym");
  const auto* loader =
      is_first ? &_r_debug : static_cast<const r_debug*>(dlsym(RTLD_DEFAULT, "_r_debug"));
  for (const link_map* each = loader->r_map; each != nullptr; each = each->l_next) {
    if (!is_c_library(each->l_name)) continue;
    LoadedObject object;
    object.base = each->l_addr;
    object.dynamic = each->l_ld;
    if (void* const found = defined_in(object, name)) return found;
  }
  return nullptr;
}

extern "C" void* muster_dlvsym(void* handle, const char* name, const char* version) {
  using LookUp = void* (*)(void*, const char*, const char*);
  static constinit std::atomic<LookUp> known{nullptr};
  LookUp look_up = known.load(std::memory_order_relaxed);
  if (look_up == nullptr) {
    look_up = reinterpret_cast<LookUp>(muster_find_in_c_library("dlvsym"));
    known.store(look_up, std::memory_order_relaxed);
  }
  return look_up != nullptr ? look_up(handle, name, version) : nullptr;
}

}  // namespace muster
