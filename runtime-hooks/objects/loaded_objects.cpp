#include "runtime-hooks/objects/loaded_objects.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "platform/c_library/bound.h"
#include "runtime-hooks/objects/dynamic_symbols.h"
#include "runtime-hooks/objects/unloading.h"

namespace muster {
namespace {

// One address in each object, collected first and looked up afterwards: dlopen and dlsym must not be called with the
// loader's list locked.
struct Snapshot {
  static constexpr unsigned kMost = 512;
  std::uintptr_t inside[kMost];
  unsigned count = 0;
};

using Close = int (*)(void*);
constinit std::atomic<Close> g_close{nullptr};

Close real_close() {
  Close close = g_close.load(std::memory_order_relaxed);
  if (close != nullptr) return close;
  close = reinterpret_cast<Close>(dlsym(RTLD_NEXT, "dlclose"));
  g_close.store(close, std::memory_order_relaxed);
  return close;
}

// Early, while no other thread can hold the loader's lock.
__attribute__((constructor)) void find_close() { real_close(); }

// The object's DT_SONAME, which does not depend on its file's name; empty if it has none.
const char* soname(const LoadedObject& object) {
  const auto* entry = static_cast<const ElfW(Dyn)*>(object.dynamic);
  const char* strings = dynamic_symbols_of(object).strings;
  for (; strings != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_SONAME) return strings + entry->d_un.d_val;
  }
  return "";
}

bool is_this_muster(const LoadedObject& object) {
  return object.contains(reinterpret_cast<const void*>(&is_muster));
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

// Whether the loader lists `left` before `right`.
bool loaded_before(const LoadedObject& left, const LoadedObject& right) {
  bool is_left_first = false;
  for_each_object([&](const LoadedObject& object, const dl_phdr_info&) {
    is_left_first = object.base == left.base;
    return is_left_first || object.base == right.base;
  });
  return is_left_first;
}

// dlsym, or the definition that the loader chooses for a reference to that version: the first one of the version or
// without a version. dlvsym finds the latter only in objects that use no versions at all. Not found: a definition
// without a version that comes after the default one, of another version, and before the exact one.
void* look_up(void* handle, const char* symbol, const char* version) {
  void* any = acceptable(dlsym(handle, symbol));
  if (version == nullptr) return any;
  void* exact = acceptable(muster_dlvsym(handle, symbol, version));
  if (any == exact || any == nullptr) return exact;
  const LoadedObject object = object_of(any);
  if (!defines_without_version(dynamic_symbols_of(object), symbol)) return exact;
  return exact == nullptr || loaded_before(object, object_of(exact)) ? any : exact;
}

// The definition's address. Not for an indirect function, whose resolver only the loader runs.
void* address_of(const LoadedObject& object, const ElfW(Sym) & definition) {
  const bool moved = definition.st_shndx != SHN_ABS;
  return reinterpret_cast<void*>((moved ? object.base : 0) + definition.st_value);
}

bool is_indirect(const ElfW(Sym) & definition) {
  return ELF64_ST_TYPE(definition.st_info) == STT_GNU_IFUNC;
}

// The definitions of a symbol, in the loader's order.
class Definitions {
 public:
  enum class Where { kEverywhere, kAfterMuster, kAfterMusterAtStart };

  Definitions(const char* symbol, const char* version, Where where,
              bool (*ignores)(const LoadedObject&) = nullptr)
      : symbol_(symbol),
        version_(version),
        ignores_(ignores),
        at_start_(objects_at_start()),
        only_at_start_(where == Where::kAfterMusterAtStart),
        is_after_muster_(where == Where::kEverywhere) {
    for_each_object(
        [this](const LoadedObject& object, const dl_phdr_info&) { return look_at(object); });
  }

  // Whether an object that the process was started with defines it.
  bool is_at_start() const { return found_at_start_; }
  // The number of definitions, up to the first in an object from the start.
  unsigned count() const { return count_; }
  void* address() const { return is_indirect_ ? defined_by_the_loader(first_, symbol_) : address_; }

 private:
  // True: later objects do not matter.
  bool look_at(const LoadedObject& object) {
    const bool at_start = seen_++ < at_start_;
    if (!at_start && only_at_start_) return true;
    if (is_this_muster(object)) {
      is_after_muster_ = true;
      return false;
    }
    const bool is_skipped = at_start && !is_after_muster_;
    if (is_skipped && object.path[0] == '\0') return false;
    const ElfW(Sym)* found = definition_of(dynamic_symbols_of(object), symbol_, version_);
    if (found == nullptr || is_muster(object)) return false;
    if (ignores_ != nullptr && ignores_(object)) return false;
    if (count_ == 0) {  // possibly one before Muster, if there is no other
      first_ = object;
      is_indirect_ = is_indirect(*found);
      address_ = address_of(object, *found);
    }
    if (is_skipped) return false;
    ++count_;
    found_at_start_ = at_start;
    return found_at_start_;
  }

  const char* const symbol_;
  const char* const version_;
  bool (*const ignores_)(const LoadedObject&);
  const unsigned at_start_;
  const bool only_at_start_;
  bool is_after_muster_;
  unsigned seen_ = 0;
  bool found_at_start_ = false;
  bool is_indirect_ = false;
  unsigned count_ = 0;
  void* address_ = nullptr;
  LoadedObject first_;
};

// In the object and its dependencies.
void* find_in_scope_of(const LoadedObject& object, const char* symbol, const char* version) {
  void* handle = handle_of(object);
  if (handle == nullptr) return nullptr;
  void* found = look_up(handle, symbol, version);
  release_handle(handle);
  return found;
}

// In the loader's order, for code of `caller`. Only the loader knows the order of objects that were opened later.
void* find_without_muster(const LoadedObject& caller, const char* symbol, const char* version) {
  const Definitions all(symbol, version, Definitions::Where::kAfterMuster);
  if (all.is_at_start() || all.count() <= 1) return all.address();
  if (void* next = look_up(RTLD_NEXT, symbol, version)) return next;
  if (void* local = find_in_scope_of(caller, symbol, version)) return local;
  return all.address();
}

}  // namespace

LoadedObject described(const dl_phdr_info& info) {
  LoadedObject out;
  std::uintptr_t low = ~std::uintptr_t{0};
  std::uintptr_t high = 0;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& segment = info.dlpi_phdr[i];
    const std::uintptr_t begin = info.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_DYNAMIC) out.dynamic = reinterpret_cast<const void*>(begin);
    if (segment.p_type != PT_LOAD) continue;
    low = std::min(low, begin);
    high = std::max<std::uintptr_t>(high, begin + segment.p_memsz);
  }
  out.begin = low;
  out.end = high;
  out.base = info.dlpi_addr;
  out.path = info.dlpi_name;
  return out;
}

LoadedObject object_of(const void* address) {
  LoadedObject found;
  for_each_object([&](const LoadedObject& object, const dl_phdr_info&) {
    if (!object.contains(address)) return false;
    found = object;
    return true;
  });
  return found;
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

int close_handle(void* handle) { return real_close()(handle); }

bool is_muster(const LoadedObject& object) {
  return is_this_muster(object) ||
         (object.path[0] != '\0' && std::strcmp(soname(object), "libmuster.so") == 0);
}

// Tools do not wrap omp_get_wtick. The other names exclude libraries around a runtime that run no regions (libompd,
// stubs).
bool is_whole_runtime(const LoadedObject& object) {
  if (defined_by(object, "omp_get_wtick") == nullptr) return false;
  return defined_by(object, "__kmpc_fork_call") != nullptr ||
         defined_by(object, "GOMP_parallel") != nullptr;
}

bool goes_before_muster(const LoadedObject& object, const char* symbol) {
  bool found = false;
  for_each_object([&](const LoadedObject& candidate, const dl_phdr_info&) {
    if (is_this_muster(candidate)) return true;
    if (definition_of(dynamic_symbols_of(candidate), symbol, nullptr) == nullptr) return false;
    found = candidate.begin == object.begin;
    return true;
  });
  return found;
}

bool is_defined_before_muster(const char* symbol) {
  bool found = false;
  for_each_object([&](const LoadedObject& candidate, const dl_phdr_info&) {
    if (is_this_muster(candidate)) return true;
    found = definition_of(dynamic_symbols_of(candidate), symbol, nullptr) != nullptr;
    return found;
  });
  return found;
}

void* next_at_start(const char* symbol) {
  const Definitions all(symbol, nullptr, Definitions::Where::kAfterMusterAtStart);
  return all.is_at_start() ? all.address() : nullptr;
}

bool is_defined(const char* symbol) {
  const Definitions all(symbol, nullptr, Definitions::Where::kEverywhere);
  return all.is_at_start() || all.count() != 0;
}

void* global_definition(const char* symbol, bool (*ignores)(const LoadedObject&)) {
  const Definitions all(symbol, nullptr, Definitions::Where::kEverywhere, ignores);
  if (all.is_at_start()) return all.address();
  return all.count() != 0 ? dlsym(RTLD_DEFAULT, symbol) : nullptr;
}

bool another_muster_is_first() {
  const LoadedObject object = object_of(dlsym(RTLD_DEFAULT, "__kmpc_fork_call"));
  return is_muster(object) && !is_this_muster(object);
}

bool find_object(bool (*accept)(const LoadedObject&, void*), void* data, LoadedObject& out) {
  static Snapshot snapshot;  // called once, at exit, possibly on a small stack
  snapshot.count = 0;
  for_each_object([](const LoadedObject& object, const dl_phdr_info&) {
    if (snapshot.count == Snapshot::kMost) return true;
    snapshot.inside[snapshot.count++] = object.begin;
    return false;
  });
  for (unsigned i = 0; i < snapshot.count; ++i) {
    out = object_of(reinterpret_cast<const void*>(snapshot.inside[i]));
    void* handle = handle_of(out);  // keeps it loaded meanwhile
    const bool stays = handle != nullptr || out.path[0] == '\0';
    const bool accepted = out.found() && stays && !is_muster(out) && accept(out, data);
    release_handle(handle);
    if (accepted) return true;
  }
  return false;
}

ObjectCounts object_counts() {
  ObjectCounts counts;
  visit_objects(
      [](dl_phdr_info* info, std::size_t, void* data) {
        *static_cast<ObjectCounts*>(data) = {info->dlpi_adds, info->dlpi_subs};
        return 1;
      },
      &counts);
  return counts;
}

void* defined_by(const LoadedObject& object, const char* symbol, const char* version) {
  if (object.path[0] == '\0') return nullptr;  // the program defines no runtime
  const ElfW(Sym)* definition = definition_of(dynamic_symbols_of(object), symbol, version);
  if (definition == nullptr) return nullptr;
  return is_indirect(*definition) ? defined_by_the_loader(object, symbol)
                                  : address_of(object, *definition);
}

void* address_past_muster(const LoadedObject& caller, const char* symbol, const char* version) {
  const Definitions all(symbol, version, Definitions::Where::kEverywhere);
  if (all.is_at_start() || all.count() > 1) {
    if (void* local = find_in_scope_of(caller, symbol, version)) return local;
  }
  return all.address();
}

void* address_without_muster(const LoadedObject& caller, const char* symbol) {
  const char* version = reference_to(dynamic_symbols_of(caller), symbol).version;
  return address_without_muster(caller, symbol, version);
}

void* address_without_muster(const LoadedObject& caller, const char* symbol, const char* version) {
  if (version != nullptr) {
    if (void* found = find_without_muster(caller, symbol, version)) return found;
  }
  return find_without_muster(caller, symbol, nullptr);
}

}  // namespace muster
