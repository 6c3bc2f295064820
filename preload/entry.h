// What every exported entry point begins with.
#pragma once

#include <atomic>

#include "preload/serial/serial.h"
#include "runtime-hooks/folding/call_effects.h"
#include "runtime-hooks/runtimes/runtime.h"

// A function of the C library that Muster stands in for: exported under its name.
#define MUSTER_EXPORT extern "C" __attribute__((visibility("default")))

// An entry point of the runtimes, by its own name, which the linker knows by another one: programs call
// the thunk with that name (preload/thunks/), which comes here for a runtime that is replaced, and leaves
// no trace for one that is not.
#define MUSTER_ENTRY extern "C" __attribute__((visibility("hidden")))
namespace abi = muster::abi;
#define MUSTER_DECLARE_ENTRY(result, name, parameters) \
  MUSTER_ENTRY result name parameters __asm__("muster_entry_" #name);
MUSTER_ENTRY_FUNCTIONS(MUSTER_DECLARE_ENTRY)
#undef MUSTER_DECLARE_ENTRY

// The code that called the entry point. Must stand in the entry point itself.
#define MUSTER_CALLER __builtin_extract_return_addr(__builtin_return_address(0))

// The real function `name` for that code.
#define MUSTER_REAL(name) (::muster::required(::muster::real_of(MUSTER_CALLER, #name)->name, #name))

namespace muster {

inline std::atomic<bool> g_ready{false};

// In the child of a fork: what MUSTER_YIELD=auto knew of others (yield_entry.cpp).
void forget_other_cpu_time();

// Lets PAPI read Muster's counts, if the process uses PAPI (sde_entry.cpp). Cheap once done.
void publish_counts();

// Reads the settings and arranges for fork(). Once, at the first call of any entry point: not
// before, so that a program without OpenMP pays and sees nothing.
void get_ready();

inline void ensure_ready() {
  if (!g_ready.load(std::memory_order_acquire)) [[unlikely]]
    get_ready();
}

// What an entry point begins with that may not be called beside an open fold, which is closed first. `symbol` is the
// entry point's.
inline void entering(const char* symbol, const void* caller) {
  ensure_ready();
  if (in_serial_part()) [[unlikely]]
    close_fold_before(symbol, caller);
}
inline void entering(Entry entry, const void* caller) {
  entering(kEntryNames[static_cast<unsigned>(entry)], caller);
}

// For symbols that not every runtime has. The thunks let nobody in who is bound to a runtime without it, but
// the runtime may have gone since.
template <class Function>
Function required(Function function, const char* symbol) {
  if (function == nullptr) [[unlikely]]
    return reinterpret_cast<Function>(serial_function(symbol));
  return function;
}

inline RealFunctions* real_of(const void* caller, const char* symbol) {
  entering(symbol, caller);
  return &runtime_of(caller, symbol).real;
}

}  // namespace muster
