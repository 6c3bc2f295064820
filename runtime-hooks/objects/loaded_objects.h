// The shared objects of this process, as the dynamic loader lists them.
//
// Two of the loader's locks matter. The lock of its list (dl_iterate_phdr) is never held while code of the program
// runs. The load lock (dlsym, dlopen, dladdr) is held by a thread that runs the constructors of what it opens, and
// these may wait for a thread that is in Muster. So lookups on the way to a region or a barrier take only the former,
// with the one exception that address_without_muster() names.
#pragma once

#include <link.h>

#include <cstdint>

#include "runtime-hooks/objects/object_list.h"

// This library's first and last byte, defined by the linker.
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start[];
extern "C" __attribute__((visibility("hidden"))) const char _end[];

namespace muster {

// Whether code at that address is this library's.
inline bool in_muster(const void* address) {
  const auto begin = reinterpret_cast<std::uintptr_t>(__ehdr_start);
  return reinterpret_cast<std::uintptr_t>(address) - begin <
         reinterpret_cast<std::uintptr_t>(_end) - begin;
}

struct LoadedObject {
  std::uintptr_t begin = 0;  // address range of its segments
  std::uintptr_t end = 0;
  std::uintptr_t base = 0;         // load address minus the addresses in its file
  const void* dynamic = nullptr;   // its dynamic section
  std::uintptr_t size_before = 0;  // of an unloaded one, whose range is empty
  const char* path = "";           // the loader's string, freed with the object; empty: the program
  bool found() const { return end != 0; }
  bool contains(const void* address) const {
    return reinterpret_cast<std::uintptr_t>(address) - begin < end - begin;
  }
};

LoadedObject described(const dl_phdr_info& info);

// Calls visit(object, info) for each object, in the loader's order, until it returns true. The loader's list is locked
// meanwhile, so `visit` must not call the loader.
template <class Visit>
void for_each_object(Visit&& visit) {
  visit_objects(
      [](dl_phdr_info* info, std::size_t, void* data) {
        return (*static_cast<Visit*>(data))(described(*info), *info) ? 1 : 0;
      },
      &visit);
}

// The object that holds `address`.
LoadedObject object_of(const void* address);

// A handle of an object that is loaded already; the object stays loaded until the handle is released. Null for the
// main program and the vdso. At the end of the process it is the loader's own handle, which keeps nothing loaded:
// dlopen would run the constructors again of an object whose destructors have run.
void* handle_of(const LoadedObject& object);
void release_handle(void* handle);

// The C library's dlclose, not Muster's, which would look for unloaded objects.
int close_handle(void* handle);

// Whether the object is a copy of Muster, this one or another (a double preload, whatever its file
// name).
bool is_muster(const LoadedObject& object);

// Whether the object is an OpenMP runtime, not a tool that wraps some of its functions.
bool is_whole_runtime(const LoadedObject& object);

// Whether the object is the first in the loader's order that defines `symbol`, and comes before Muster. Such an object
// calls Muster's function as the next definition (RTLD_NEXT).
bool goes_before_muster(const LoadedObject& object, const char* symbol);

// Whether an object that comes before Muster in the loader's order defines `symbol`.
bool is_defined_before_muster(const char* symbol);

// Whether another copy of Muster was preloaded before this one and gets the calls.
bool another_muster_is_first();

// The address to which `symbol` would be bound for code of `caller` without Muster; null if no object defines it. In
// the loader's order: the program and the objects that it was started with, objects opened with RTLD_GLOBAL, the
// caller's dependencies (RTLD_LOCAL), any other object. Definitions of a version other than the one that the caller
// refers to are skipped, as the loader does, unless there is no other. The load lock is taken only if no object from
// the start defines it and several that were opened later do.
void* address_without_muster(const LoadedObject& caller, const char* symbol);
// The same if the version is known; null: any.
void* address_without_muster(const LoadedObject& caller, const char* symbol, const char* version);

// The address to which `symbol` is bound for code of `caller` if that was opened with RTLD_DEEPBIND. Takes the load lock
// if several objects define it.
void* address_past_muster(const LoadedObject& caller, const char* symbol, const char* version);

// The definition of `symbol` that comes after Muster among the objects that the process was started with.
void* next_at_start(const char* symbol);

// What dlsym(RTLD_DEFAULT, symbol) finds in objects for which `ignores` is false. The load lock is taken only if no
// object from the start defines it and one that was opened later does.
void* global_definition(const char* symbol, bool (*ignores)(const LoadedObject&) = nullptr);

// Whether any object defines it.
bool is_defined(const char* symbol);

// The address of the object's own definition of `symbol`, not of one in its dependencies; else null. For a null
// `version`, the default one.
void* defined_by(const LoadedObject& object, const char* symbol, const char* version = nullptr);

// The first loaded object, other than Muster, for which accept(object, data) is true.
bool find_object(bool (*accept)(const LoadedObject&, void*), void* data, LoadedObject& out);

// How many objects the loader has loaded and unloaded since the process began. A few tens of ns.
struct ObjectCounts {
  std::uint64_t loaded = 0;
  std::uint64_t unloaded = 0;
};
ObjectCounts object_counts();

}  // namespace muster
