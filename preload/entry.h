// What the exported entry points have in common.
#pragma once

#include <atomic>

#include "preload/serial/serial.h"
#include "runtime-hooks/folding/call_effects.h"
#include "runtime-hooks/runtimes/runtime.h"
#include "runtime-hooks/runtimes/thunk_banks.h"

// Exports a function under a name of the C library, which it interposes.
#define MUSTER_EXPORT extern "C" __attribute__((visibility("default")))

// An entry point of the runtimes, under its own name in C++ and another one for the linker. Programs call the thunk
// of that name (preload/thunks/), which jumps here if the runtime is replaced, and straight to the runtime if not.
#define MUSTER_ENTRY extern "C" __attribute__((visibility("hidden")))
namespace abi = muster::abi;
#define MUSTER_DECLARE_ENTRY(result, name, parameters) \
  MUSTER_ENTRY result name parameters __asm__("muster_entry_" #name);
MUSTER_ENTRY_FUNCTIONS(MUSTER_DECLARE_ENTRY)
#undef MUSTER_DECLARE_ENTRY

// To be used in an exported function itself only.
#define MUSTER_RETURN_ADDRESS __builtin_extract_return_addr(__builtin_return_address(0))

// The caller of an entry point, with its bank. To be read once, before anything else is called: the runtime may call
// other entry points.
#define MUSTER_CALLER ::muster::in_bank(::muster::t_muster_bank, MUSTER_RETURN_ADDRESS)

// The runtime's function `name` for a caller.
#define MUSTER_REAL_FOR(caller, name) \
  (::muster::required(::muster::real_of(caller, #name)->name, #name))
#define MUSTER_REAL(name) MUSTER_REAL_FOR(MUSTER_CALLER, name)

namespace muster {

inline std::atomic<bool> g_ready{false};

// In the child of a fork: discards what MUSTER_YIELD=auto has measured of other processes (yield_entry.cpp).
void forget_other_cpu_time();

// Reads the settings and installs the fork handlers. Once, at the first call of any entry point and no
// earlier: a program without OpenMP is not affected.
void get_ready();

inline void ensure_ready() {
  if (!g_ready.load(std::memory_order_acquire)) [[unlikely]]
    get_ready();
}

// Begins an entry point that must not run while a fold is open: closes the fold of the calling thread first.
// `symbol` is the entry point's name.
inline void entering(const char* symbol, const void* caller) {
  ensure_ready();
  if (in_serial_part()) [[unlikely]]
    close_fold_before(symbol, caller);
}
inline void entering(Entry entry, const void* caller) {
  entering(kEntryNames[static_cast<unsigned>(entry)], caller);
}

// For symbols that not every runtime has. The thunks call an entry point only if the caller's runtime has the
// symbol, but that runtime may have been unloaded since.
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
