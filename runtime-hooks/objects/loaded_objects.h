// The shared objects of this process, as the dynamic loader has them.
//
// Two of its locks matter. The one of its list (dl_iterate_phdr) nobody keeps while code of the program
// runs. The big one (dlsym, dlopen, dladdr) a thread keeps while it runs the constructors of what it opens,
// and these may wait for a thread that is here: so what is asked on the way to a region or a barrier takes
// only the former, but for the one case that address_without_muster() names.
#pragma once

#include <link.h>

#include <cstdint>

namespace muster {

struct LoadedObject {
  std::uintptr_t begin = 0;  // address range of its segments
  std::uintptr_t end = 0;
  std::uintptr_t base = 0;         // what its file's addresses were moved by
  const void* dynamic = nullptr;   // its dynamic section
  std::uintptr_t size_before = 0;  // of one that has gone, whose range is empty
  const char* path = "";  // the loader's text, gone with the object; empty: the main program
  bool found() const { return end != 0; }
  bool contains(const void* address) const {
    return reinterpret_cast<std::uintptr_t>(address) - begin < end - begin;
  }
};

LoadedObject described(const dl_phdr_info& info);

// Calls visit(object, info) for each object, in the loader's order, until it returns true. The loader's list is locked
// meanwhile, so `visit` must not ask the loader for anything.
template <class Visit>
void for_each_object(Visit&& visit) {
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        return (*static_cast<Visit*>(data))(described(*info), *info) ? 1 : 0;
      },
      &visit);
}

// The object that holds `address`.
LoadedObject object_of(const void* address);

// A handle of an object that is loaded already, which keeps it until it is released. Null for the main
// program and the vdso. At the end of the process the loader's own, which keeps nothing: dlopen would
// run the constructors of an object again whose destructors have run.
void* handle_of(const LoadedObject& object);
void release_handle(void* handle);

// The C library's dlclose: ours would look for what has gone.
int close_handle(void* handle);

// Whether the object is a copy of Muster, this one or another (a double preload, whatever its file
// name).
bool is_muster(const LoadedObject& object);

// Whether the object is an OpenMP runtime: not a tool that stands in for some of its functions and calls
// it in turn.
bool is_whole_runtime(const LoadedObject& object);

// Whether the object is the first in the loader's order that defines `symbol`, and comes before Muster:
// then it is by asking for the next definition that it calls Muster's.
bool goes_before_muster(const LoadedObject& object, const char* symbol);

// Whether another copy of Muster was preloaded before this one: that one gets the calls.
bool another_muster_is_first();

// The address that `symbol` would have for code of `caller` if Muster were not there; null if
// nobody defines it. The loader's order: the program and what it was started with, then what was opened
// for all (RTLD_GLOBAL), the caller's own dependencies (RTLD_LOCAL), whatever else was opened. Definitions of another
// version than the caller asks for are passed over, as the loader does; unless there is no other.
// The loader's big lock is taken only where several objects that were opened since the start define it, and none
// that was there at the start.
void* address_without_muster(const LoadedObject& caller, const char* symbol);

// The definition of `symbol` that comes after Muster among the objects that the process was started with.
void* next_at_start(const char* symbol);

// What dlsym(RTLD_DEFAULT, symbol) finds in other objects than those to ignore. The loader's big lock is taken
// only where an object that was opened since the start defines it, and none that was there at the start.
void* global_definition(const char* symbol, bool (*ignores)(const LoadedObject&) = nullptr);

// Whether any object defines it.
bool is_defined(const char* symbol);

// `symbol` as defined by this object itself, not by what it depends on; null if it does not. Without
// a version: the default one.
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
