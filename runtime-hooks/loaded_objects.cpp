#include "runtime-hooks/loaded_objects.h"

#include <dlfcn.h>
#include <link.h>

#include <cstring>

namespace muster {
namespace {

void describe(const dl_phdr_info& info, LoadedObject& out) {
  out = LoadedObject{};
  std::uintptr_t low = ~std::uintptr_t{0};
  std::uintptr_t high = 0;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = info.dlpi_addr + segment.p_vaddr;
    if (begin < low) low = begin;
    if (begin + segment.p_memsz > high) high = begin + segment.p_memsz;
  }
  if (high == 0) return;
  out.begin = low;
  out.end = high;
  if (info.dlpi_name != nullptr) std::strncpy(out.path, info.dlpi_name, sizeof(out.path) - 1);
}

struct ByAddress {
  std::uintptr_t address;
  LoadedObject object;
};

int match_address(dl_phdr_info* info, std::size_t, void* data) {
  auto& wanted = *static_cast<ByAddress*>(data);
  describe(*info, wanted.object);
  if (wanted.object.begin <= wanted.address && wanted.address < wanted.object.end) return 1;
  wanted.object = LoadedObject{};
  return 0;
}

// Object paths are copied out first and asked about afterwards: dlopen and dlsym must not be called
// with the loader's list locked.
struct Snapshot {
  static constexpr unsigned kMost = 512;
  std::uintptr_t inside[kMost];
  unsigned count = 0;
};

int note_object(dl_phdr_info* info, std::size_t, void* data) {
  auto& snapshot = *static_cast<Snapshot*>(data);
  if (snapshot.count == Snapshot::kMost) return 1;
  LoadedObject object;
  describe(*info, object);
  if (object.found()) snapshot.inside[snapshot.count++] = object.begin;
  return 0;
}

void* acceptable(void* address) {
  return address != nullptr && !is_muster(object_of(address)) ? address : nullptr;
}

// A handle of an object that is loaded already. Null for the main program and the vdso.
void* handle_of(const LoadedObject& object) {
  if (object.path[0] == '\0') return nullptr;
  return dlopen(object.path, RTLD_LAZY | RTLD_NOLOAD);
}

}  // namespace

LoadedObject object_of(const void* address) {
  ByAddress wanted{reinterpret_cast<std::uintptr_t>(address), {}};
  dl_iterate_phdr(match_address, &wanted);
  return wanted.object;
}

bool is_muster(const LoadedObject& object) {
  const char* slash = std::strrchr(object.path, '/');
  const char* name = slash != nullptr ? slash + 1 : object.path;
  if (std::strncmp(name, "libmuster.so", 12) == 0) return true;
  const auto here = reinterpret_cast<std::uintptr_t>(&is_muster);
  return object.begin <= here && here < object.end;
}

bool find_object(bool (*accept)(const LoadedObject&), LoadedObject& out) {
  static Snapshot snapshot;  // callers hold the runtimes' lock, or are the last thread
  snapshot.count = 0;
  dl_iterate_phdr(note_object, &snapshot);
  for (unsigned i = 0; i < snapshot.count; ++i) {
    out = object_of(reinterpret_cast<const void*>(snapshot.inside[i]));
    if (out.found() && !is_muster(out) && accept(out)) return true;
  }
  return false;
}

void* defined_by(const LoadedObject& object, const char* symbol) {
  void* handle = handle_of(object);
  if (handle == nullptr) return nullptr;
  void* address = dlsym(handle, symbol);
  dlclose(handle);  // only our reference: the object stays
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  return object.begin <= place && place < object.end ? address : nullptr;
}

void* address_without_muster(const LoadedObject& caller, const char* symbol) {
  if (void* next = acceptable(dlsym(RTLD_NEXT, symbol))) return next;
  if (void* handle = handle_of(caller)) {
    void* local = acceptable(dlsym(handle, symbol));
    dlclose(handle);
    if (local != nullptr) return local;
  }
  static const char* wanted;
  static void* found;
  wanted = symbol;
  found = nullptr;
  LoadedObject object;
  find_object(
      [](const LoadedObject& candidate) {
        found = defined_by(candidate, wanted);
        return found != nullptr;
      },
      object);
  return found;
}

}  // namespace muster
