#include "runtime-hooks/runtimes/yields/yield_caller.h"

#include <link.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "platform/call_site.h"
#include "runtime-hooks/objects/dynamic_symbols.h"
#include "runtime-hooks/runtimes/runtime.h"

namespace muster {
namespace {

enum Kind : std::uint8_t { kOther, kRuntime, kGone };

// An object that has called, and what it is: that alone changes, when the object is unloaded.
struct Caller {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::uint8_t kind = kOther;

  bool contains(std::uintptr_t address) const { return address - begin < end - begin; }
};

constexpr unsigned kMaxCallers = 256;

// Entries are written by whoever holds g_busy and published by the count; readers take no lock.
Caller g_callers[kMaxCallers];
std::atomic<unsigned> g_count{0};
std::atomic<bool> g_busy{false};

// All runtimes define it, and Muster, which exports most of their names, does not.
constexpr char kMark[] = "omp_get_wtime";

// Whether the object itself defines kMark, from its own tables. dlsym would wait for the loader's big
// lock, which a thread holds while it runs the constructors of what it opens: and those may wait,
// yielding, for us.
bool has_mark(const dl_phdr_info& info) {
  LoadedObject object;
  object.base = info.dlpi_addr;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    object.dynamic = reinterpret_cast<const void*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
  }
  return definition_of(dynamic_symbols_of(object), kMark, nullptr) != nullptr;
}

struct Search {
  std::uintptr_t address;
  Caller caller;
};

int match(dl_phdr_info* info, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  Caller caller{~std::uintptr_t{0}, 0, kOther};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    caller.begin = std::min(caller.begin, begin);
    caller.end = std::max<std::uintptr_t>(caller.end, begin + segment.p_memsz);
  }
  if (!caller.contains(search.address)) return 0;
  // A runtime that is linked into the program cannot be told from the program's own code.
  const bool is_program = info->dlpi_name[0] == '\0';
  if (!is_program && has_mark(*info)) caller.kind = kRuntime;
  search.caller = caller;
  return 1;
}

const Caller* known(std::uintptr_t address) {
  const unsigned count = g_count.load(std::memory_order_acquire);
  for (unsigned i = 0; i < count; ++i) {
    if (g_callers[i].contains(address) &&
        __atomic_load_n(&g_callers[i].kind, __ATOMIC_ACQUIRE) != kGone) {
      return &g_callers[i];
    }
  }
  return nullptr;
}

// In the place of an object that has gone and lay just there, or in a new one.
void remember(const Caller& caller) {
  const unsigned count = g_count.load(std::memory_order_relaxed);
  for (unsigned i = 0; i < count; ++i) {
    Caller& old = g_callers[i];
    if (old.kind == kGone && old.begin == caller.begin && old.end == caller.end) {
      __atomic_store_n(&old.kind, caller.kind, __ATOMIC_RELEASE);
      return;
    }
  }
  if (count == kMaxCallers) return;
  g_callers[count] = caller;
  g_count.store(count + 1, std::memory_order_release);
}

bool find_out(std::uintptr_t address) {
  if (g_count.load(std::memory_order_relaxed) == kMaxCallers) return false;
  if (g_busy.exchange(true, std::memory_order_acquire)) return false;
  // Code that belongs to no object (just compiled, say) is remembered by its address.
  Search search{address, {address, address + 1, kOther}};
  dl_iterate_phdr(match, &search);
  if (known(address) == nullptr) remember(search.caller);
  g_busy.store(false, std::memory_order_release);
  return search.caller.kind == kRuntime;
}

bool is_in_runtime(const void* address) {
  if (runtime_with(address) != nullptr) return true;
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  const Caller* caller = known(place);
  return caller != nullptr ? caller->kind == kRuntime : find_out(place);
}

}  // namespace

bool is_runtimes_yield(const void* return_address) {
  return is_in_runtime(return_address) && may_call_by_name(return_address);
}

void forget_yield_callers(const Gone& gone) {
  const unsigned count = g_count.load(std::memory_order_acquire);
  for (unsigned i = 0; i < count; ++i) {
    if (gone(g_callers[i].begin)) __atomic_store_n(&g_callers[i].kind, kGone, __ATOMIC_RELEASE);
  }
}

void yield_callers_after_fork() { g_busy.store(false, std::memory_order_release); }

}  // namespace muster
