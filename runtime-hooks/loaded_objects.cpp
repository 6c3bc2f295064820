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
  out.base = info.dlpi_addr;
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

// A handle of an object that is loaded already. Null for the main program and the vdso.
void* handle_of(const LoadedObject& object) {
  if (object.path[0] == '\0') return nullptr;
  return dlopen(object.path, RTLD_LAZY | RTLD_NOLOAD);
}

// The name that the object was built with, whatever its file is called now; empty if it has none.
const char* soname(const link_map& object) {
  ElfW(Addr) strings = 0;
  const ElfW(Dyn)* name = nullptr;
  for (const ElfW(Dyn)* entry = object.l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) strings = entry->d_un.d_ptr;
    if (entry->d_tag == DT_SONAME) name = entry;
  }
  if (strings == 0 || name == nullptr) return "";
  if (strings < object.l_addr)
    strings += object.l_addr;  // the loader leaves some tables as they were
  return reinterpret_cast<const char*>(strings + name->d_un.d_val);
}

void* acceptable(void* address) {
  return address != nullptr && !is_muster(object_of(address)) ? address : nullptr;
}

}  // namespace

LoadedObject object_of(const void* address) {
  ByAddress wanted{reinterpret_cast<std::uintptr_t>(address), {}};
  dl_iterate_phdr(match_address, &wanted);
  return wanted.object;
}

bool is_muster(const LoadedObject& object) {
  const auto here = reinterpret_cast<std::uintptr_t>(&is_muster);
  if (object.begin <= here && here < object.end) return true;
  void* handle = handle_of(object);
  if (handle == nullptr) return false;
  const bool same = std::strcmp(soname(*static_cast<const link_map*>(handle)), "libmuster.so") == 0;
  dlclose(handle);
  return same;
}

bool another_muster_is_first() {
  const void* first = dlsym(RTLD_DEFAULT, "__kmpc_fork_call");
  if (first == nullptr) return false;
  const LoadedObject object = object_of(first);
  const auto here = reinterpret_cast<std::uintptr_t>(&is_muster);
  return is_muster(object) && !(object.begin <= here && here < object.end);
}

bool find_object(bool (*accept)(const LoadedObject&, void*), void* data, LoadedObject& out) {
  Snapshot snapshot;
  dl_iterate_phdr(note_object, &snapshot);
  for (unsigned i = 0; i < snapshot.count; ++i) {
    out = object_of(reinterpret_cast<const void*>(snapshot.inside[i]));
    if (out.found() && !is_muster(out) && accept(out, data)) return true;
  }
  return false;
}

std::uint64_t objects_loaded_so_far() {
  std::uint64_t loads = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        *static_cast<std::uint64_t*>(data) = info->dlpi_adds;
        return 1;
      },
      &loads);
  return loads;
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
  struct Wanted {
    const char* symbol;
    void* found;
  } wanted{symbol, nullptr};
  LoadedObject object;
  find_object(
      [](const LoadedObject& candidate, void* data) {
        auto& search = *static_cast<Wanted*>(data);
        search.found = defined_by(candidate, search.symbol);
        return search.found != nullptr;
      },
      &wanted, object);
  return wanted.found;
}

}  // namespace muster
