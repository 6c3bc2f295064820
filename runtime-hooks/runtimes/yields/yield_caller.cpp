#include "runtime-hooks/runtimes/yields/yield_caller.h"

#include <cstdint>

#include "platform/call_site.h"
#include "runtime-hooks/objects/address_cache.h"
#include "runtime-hooks/objects/dynamic_symbols.h"
#include "runtime-hooks/runtimes/runtime.h"

namespace muster {
namespace {

enum Kind : std::uint8_t { kUnloaded, kOther, kRuntime };

// An object that has called sched_yield.
struct Caller {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  Kind kind = kUnloaded;

  bool serves_as(const Caller&) const { return true; }
  Kind& value() { return kind; }
  const Kind& value() const { return kind; }
};

AddressCache<Caller, 256> g_callers;

// All runtimes define it; Muster, which exports most of their names, does not.
constexpr char kMark[] = "omp_get_wtime";

// From the object's own tables. dlsym would wait for the loader's load lock, which a thread holds while it runs
// constructors, and those may wait for this thread. A runtime that is linked into the program cannot be distinguished
// from the program's code.
Kind kind_of(const LoadedObject& object) {
  const bool is_program = object.path[0] == '\0';
  const bool is_runtime =
      !is_program && definition_of(dynamic_symbols_of(object), kMark, nullptr) != nullptr;
  return is_runtime ? kRuntime : kOther;
}

Kind find_out(const void* address) {
  if (g_callers.is_full()) return kOther;
  // Code outside any object (from a JIT compiler, say) is cached by its address.
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  Caller caller{place, place + 1, kOther};
  for_each_object([&](const LoadedObject& object, const dl_phdr_info&) {
    if (!object.contains(address)) return false;
    caller = {object.begin, object.end, kind_of(object)};
    return true;
  });
  g_callers.add(caller);
  return caller.kind;
}

bool is_in_runtime(const void* address) {
  if (runtime_with(address) != nullptr) return true;
  const Caller* known = g_callers.find(address, [](const Caller&) { return true; });
  return (known != nullptr ? known->kind : find_out(address)) == kRuntime;
}

}  // namespace

bool is_runtimes_yield(const void* return_address) {
  return is_in_runtime(return_address) && may_call_by_name(return_address);
}

void forget_yield_callers(const Gone& gone) {
  g_callers.forget([&](const Caller& caller) { return gone(caller.begin); });
}

void yield_callers_after_fork() { g_callers.after_fork_in_child(); }

}  // namespace muster
