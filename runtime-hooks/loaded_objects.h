// The shared objects of this process, as the dynamic loader has them.
#pragma once

#include <cstdint>

namespace muster {

struct LoadedObject {
  std::uintptr_t begin = 0;  // address range of its segments
  std::uintptr_t end = 0;
  std::uintptr_t base = 0;         // what its file's addresses were moved by
  const void* dynamic = nullptr;   // its dynamic section
  std::uintptr_t size_before = 0;  // of one that has gone, whose range is empty
  char path[1024] = {};            // empty: the main program
  bool found() const { return end != 0; }
  bool contains(const void* address) const {
    return reinterpret_cast<std::uintptr_t>(address) - begin < end - begin;
  }
};

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

// Whether the object comes before Muster in the loader's order and defines `symbol`: then it is by
// asking for the next definition that it calls Muster's.
bool goes_before_muster(const LoadedObject& object, const char* symbol);

// Whether another copy of Muster was preloaded before this one: that one gets the calls.
bool another_muster_is_first();

// The address that `symbol` would have for code of `caller` if Muster were not there; null if
// nobody defines it. The loader's order: the program and what it was started with, then the
// caller's own dependencies (RTLD_LOCAL), then whatever else was opened. Definitions of another
// version than the caller asks for are passed over, as the loader does; unless there is no other.
void* address_without_muster(const LoadedObject& caller, const char* symbol);

// `symbol` as defined by this object itself, not by what it depends on; null if it does not. Without
// a version: the default one.
void* defined_by(const LoadedObject& object, const char* symbol, const char* version = nullptr);

// The first loaded object, other than Muster, for which accept(object, data) is true.
bool find_object(bool (*accept)(const LoadedObject&, void*), void* data, LoadedObject& out);

// How many objects the loader has loaded since the process began. A few tens of ns.
std::uint64_t objects_loaded_so_far();

}  // namespace muster
