#include "runtime-hooks/runtimes/yields/yield_caller.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "platform/call_site.h"
#include "runtime-hooks/objects/address_cache.h"
#include "runtime-hooks/objects/dynamic_symbols.h"
#include "runtime-hooks/runtimes/runtime.h"

namespace muster {
namespace {

// An object that has called sched_yield.
struct Caller {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  YieldCaller kind = kUnloadedCaller;

  bool serves_as(const Caller&) const { return true; }
  YieldCaller& value() { return kind; }
  const YieldCaller& value() const { return kind; }
};

AddressCache<Caller, 256> g_callers;

// All runtimes define it; Muster, which exports most of their names, does not.
constexpr char kRuntimesMark[] = "omp_get_wtime";
// Of OpenBLAS, by itself and as SciPy builds it, with integers of 32 and of 64 bits.
constexpr const char* kBlasMarks[] = {"openblas_get_config", "openblas_get_config64_",
                                      "scipy_openblas_get_config", "scipy_openblas_get_config64_"};

// From the object's own tables. dlsym would wait for the loader's load lock, which a thread holds while it runs
// constructors, and those may wait for this thread. A runtime that is linked into the program cannot be distinguished
// from the program's code.
YieldCaller kind_of(const LoadedObject& object) {
  const bool is_program = object.path[0] == '\0';
  if (is_program) return kOtherCaller;
  const auto symbols = dynamic_symbols_of(object);
  const auto defines = [&](const char* name) {
    return definition_of(symbols, name, nullptr) != nullptr;
  };
  if (defines(kRuntimesMark)) return kRuntimeCaller;
  return std::any_of(std::begin(kBlasMarks), std::end(kBlasMarks), defines) ? kBlasCaller
                                                                            : kOtherCaller;
}

YieldCaller find_out(const void* address) {
  if (g_callers.is_full()) return kOtherCaller;
  // Code outside any object (from a JIT compiler, say) is cached by its address.
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  Caller caller{place, place + 1, kOtherCaller};
  for_each_object([&](const LoadedObject& object, const dl_phdr_info&) {
    if (!object.contains(address)) return false;
    caller = {object.begin, object.end, kind_of(object)};
    return true;
  });
  g_callers.add(caller);
  return caller.kind;
}

YieldCaller owner_of(const void* address) {
  if (runtime_with(address) != nullptr) return kRuntimeCaller;
  const Caller* known = g_callers.find(address, [](const Caller&) { return true; });
  return known != nullptr ? known->kind : find_out(address);
}

}  // namespace

YieldCaller yield_caller(const void* return_address) {
  const YieldCaller owner = owner_of(return_address);
  // A program's yield may be a tail call, which returns into the runtime.
  const bool is_tail_call = owner == kRuntimeCaller && !may_call_by_name(return_address);
  return is_tail_call ? kOtherCaller : owner;
}

void forget_yield_callers(const Gone& gone) {
  g_callers.forget([&](const Caller& caller) { return gone(caller.begin); });
}

void yield_callers_after_fork() { g_callers.after_fork_in_child(); }

}  // namespace muster
