#include "runtime-hooks/loaded_objects.h"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstring>

#include "runtime-hooks/dynamic_symbols.h"
#include "runtime-hooks/unloading.h"

namespace muster {
namespace {

void describe(const dl_phdr_info& info, LoadedObject& out) {
  out = LoadedObject{};
  std::uintptr_t low = ~std::uintptr_t{0};
  std::uintptr_t high = 0;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& segment = info.dlpi_phdr[i];
    const std::uintptr_t begin = info.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_DYNAMIC) out.dynamic = reinterpret_cast<const void*>(begin);
    if (segment.p_type != PT_LOAD) continue;
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

// The name that the object was built with, whatever its file is called now; empty if it has none.
const char* soname(const LoadedObject& object) {
  const auto* entry = static_cast<const ElfW(Dyn)*>(object.dynamic);
  const char* strings = dynamic_symbols_of(object).strings;
  for (; strings != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_SONAME) return strings + entry->d_un.d_val;
  }
  return "";
}

void* defined_by_the_loader(const LoadedObject& object, const char* symbol) {
  void* handle = handle_of(object);
  if (handle == nullptr) return nullptr;
  void* address = dlsym(handle, symbol);
  release_handle(handle);
  return address;
}

void* acceptable(void* address) {
  return address != nullptr && !is_muster(object_of(address)) ? address : nullptr;
}

// Which of two objects the loader has loaded first.
bool loaded_before(const LoadedObject& left, const LoadedObject& right) {
  struct Order {
    std::uintptr_t left, right, first;
  } order{left.base, right.base, right.base};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& wanted = *static_cast<Order*>(data);
        wanted.first = info->dlpi_addr;
        return wanted.first == wanted.left || wanted.first == wanted.right ? 1 : 0;
      },
      &order);
  return order.first == left.base;
}

// dlsym, or the definition that the loader takes for a reference to that version: the first one of
// the version or of none. dlvsym takes the latter only from objects that use no versions at all. Not
// seen: one of none between the default one, of another version, and the exact one.
void* look_up(void* handle, const char* symbol, const char* version) {
  void* any = acceptable(dlsym(handle, symbol));
  if (version == nullptr) return any;
  void* exact = acceptable(dlvsym(handle, symbol, version));
  if (any == exact || any == nullptr) return exact;
  const LoadedObject object = object_of(any);
  if (!defines_without_version(dynamic_symbols_of(object), symbol)) return exact;
  return exact == nullptr || loaded_before(object, object_of(exact)) ? any : exact;
}

// In the loader's order, for code of `caller`.
void* find_without_muster(const LoadedObject& caller, const char* symbol, const char* version) {
  if (void* next = look_up(RTLD_NEXT, symbol, version)) return next;
  if (void* handle = handle_of(caller)) {
    void* local = look_up(handle, symbol, version);
    release_handle(handle);
    if (local != nullptr) return local;
  }
  struct Wanted {
    const char* symbol;
    const char* version;
    void* found;
  } wanted{symbol, version, nullptr};
  LoadedObject object;
  find_object(
      [](const LoadedObject& candidate, void* data) {
        auto& search = *static_cast<Wanted*>(data);
        search.found = defined_by(candidate, search.symbol, search.version);
        return search.found != nullptr;
      },
      &wanted, object);
  return wanted.found;
}

}  // namespace

LoadedObject object_of(const void* address) {
  ByAddress wanted{reinterpret_cast<std::uintptr_t>(address), {}};
  dl_iterate_phdr(match_address, &wanted);
  return wanted.object;
}

void* handle_of(const LoadedObject& object) {
  if (object.path[0] == '\0') return nullptr;
  if (process_is_ending()) {
    Dl_info info;
    void* handle = nullptr;
    return dladdr1(object.dynamic, &info, &handle, RTLD_DL_LINKMAP) != 0 ? handle : nullptr;
  }
  return dlopen(object.path, RTLD_LAZY | RTLD_NOLOAD);
}

void release_handle(void* handle) {
  if (handle != nullptr && !process_is_ending()) close_handle(handle);
}

int close_handle(void* handle) {
  static std::atomic<int (*)(void*)> real{nullptr};
  auto* close = real.load(std::memory_order_relaxed);
  if (close == nullptr) {
    close = reinterpret_cast<int (*)(void*)>(dlsym(RTLD_NEXT, "dlclose"));
    real.store(close, std::memory_order_relaxed);
  }
  return close != nullptr ? close(handle) : -1;
}

bool is_muster(const LoadedObject& object) {
  const auto here = reinterpret_cast<std::uintptr_t>(&is_muster);
  if (object.begin <= here && here < object.end) return true;
  return object.path[0] != '\0' && std::strcmp(soname(object), "libmuster.so") == 0;
}

// A clock's resolution is nothing that tools measure; the others keep relations of runtimes apart, which
// know no regions (libompd, stubs).
bool is_whole_runtime(const LoadedObject& object) {
  if (defined_by(object, "omp_get_wtick") == nullptr) return false;
  return defined_by(object, "__kmpc_fork_call") != nullptr ||
         defined_by(object, "GOMP_parallel") != nullptr;
}

bool goes_before_muster(const LoadedObject& object, const char* symbol) {
  return object.contains(dlsym(RTLD_DEFAULT, symbol));
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
    void* handle = handle_of(out);  // it stays while it is looked at
    const bool stays = handle != nullptr || out.path[0] == '\0';
    const bool accepted = out.found() && stays && !is_muster(out) && accept(out, data);
    release_handle(handle);
    if (accepted) return true;
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

void* defined_by(const LoadedObject& object, const char* symbol, const char* version) {
  if (object.path[0] == '\0') return nullptr;  // the program: it defines no runtime
  const ElfW(Sym)* definition = definition_of(dynamic_symbols_of(object), symbol, version);
  if (definition == nullptr) return nullptr;
  if (ELF64_ST_TYPE(definition->st_info) == STT_GNU_IFUNC)  // only the loader runs resolvers
    return defined_by_the_loader(object, symbol);
  const bool moved = definition->st_shndx != SHN_ABS;
  return reinterpret_cast<void*>((moved ? object.base : 0) + definition->st_value);
}

void* address_without_muster(const LoadedObject& caller, const char* symbol) {
  if (const char* version = reference_to(dynamic_symbols_of(caller), symbol).version) {
    if (void* found = find_without_muster(caller, symbol, version)) return found;
  }
  return find_without_muster(caller, symbol, nullptr);
}

}  // namespace muster
