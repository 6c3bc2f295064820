#include "runtime-hooks/yield_caller.h"

#include <link.h>

#include <atomic>
#include <cstdint>

#include "platform/call_site.h"
#include "runtime-hooks/dynamic_symbols.h"
#include "runtime-hooks/runtime.h"

namespace muster {
namespace {

// An object that has called, and what it is.
struct Caller {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool runtime = false;

  bool contains(std::uintptr_t address) const { return address - begin < end - begin; }
};

constexpr unsigned kMaxCallers = 64;

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
  Caller caller{~std::uintptr_t{0}, 0, false};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (begin < caller.begin) caller.begin = begin;
    if (begin + segment.p_memsz > caller.end) caller.end = begin + segment.p_memsz;
  }
  if (caller.end == 0 || !caller.contains(search.address)) return 0;
  // A runtime that is linked into the program cannot be told from the program's own code.
  const bool is_program = info->dlpi_name == nullptr || info->dlpi_name[0] == '\0';
  caller.runtime = !is_program && has_mark(*info);
  search.caller = caller;
  return 1;
}

const Caller* known(std::uintptr_t address) {
  const unsigned count = g_count.load(std::memory_order_acquire);
  for (unsigned i = 0; i < count; ++i) {
    if (g_callers[i].contains(address)) return &g_callers[i];
  }
  return nullptr;
}

bool find_out(std::uintptr_t address) {
  if (g_count.load(std::memory_order_relaxed) == kMaxCallers) return false;
  if (g_busy.exchange(true, std::memory_order_acquire)) return false;
  // Code that belongs to no object (just compiled, say) is remembered by its address.
  Search search{address, {address, address + 1, false}};
  dl_iterate_phdr(match, &search);
  const unsigned count = g_count.load(std::memory_order_relaxed);
  if (count < kMaxCallers && known(address) == nullptr) {
    g_callers[count] = search.caller;
    g_count.store(count + 1, std::memory_order_release);
  }
  g_busy.store(false, std::memory_order_release);
  return search.caller.runtime;
}

bool is_in_runtime(const void* address) {
  Runtime* const* runtimes = nullptr;
  const unsigned count = known_runtimes(&runtimes);
  for (unsigned i = 0; i < count; ++i) {
    if (runtimes[i]->contains(address)) return true;
  }
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  const Caller* caller = known(place);
  return caller != nullptr ? caller->runtime : find_out(place);
}

}  // namespace

bool is_runtimes_yield(const void* return_address) {
  return is_in_runtime(return_address) && may_call_by_name(return_address);
}

void yield_callers_after_fork() { g_busy.store(false, std::memory_order_release); }

}  // namespace muster
