// What every exported entry point begins with.
#pragma once

#include <atomic>

#include "runtime-hooks/folding/watch.h"
#include "runtime-hooks/runtime.h"

// An entry point: exported, with the runtime's own name and C linkage. Everything else is hidden.
#define MUSTER_EXPORT extern "C" __attribute__((visibility("default")))

// The code that called the entry point. Must stand in the entry point itself.
#define MUSTER_CALLER __builtin_extract_return_addr(__builtin_return_address(0))

// The real function `name` for that code.
#define MUSTER_REAL(name) (::muster::required(::muster::real_of(MUSTER_CALLER, #name)->name, #name))

namespace muster {

inline std::atomic<bool> g_ready{false};

// In the child of a fork: what MUSTER_YIELD=auto knew of others (yield_entry.cpp).
void forget_foreign_time();

// Lets PAPI read Muster's counts, if the process uses PAPI (sde_entry.cpp). Cheap once done.
void publish_own_counts();

// Reads the settings and arranges for fork(). Once, at the first call of any entry point: not
// before, so that a program without OpenMP pays and sees nothing.
void get_ready();

inline void ensure_ready() {
  if (!g_ready.load(std::memory_order_acquire)) [[unlikely]]
    get_ready();
}

// What an entry point begins with that needs the serial part to be one: a fold that is open beside it
// is closed first. `symbol` is the entry point's.
inline void entering(const char* symbol, const void* caller) {
  ensure_ready();
  if ((t_muster_watches & kInSerialPart) != 0) [[unlikely]] {
    if (!is_another(runtime_of(caller, symbol))) on_watched_call(symbol, Effect::kCloses, caller);
  }
}

// A runtime that has some of the symbols but not this one: without Muster the loader would have
// refused.
template <class Function>
Function required(Function function, const char* symbol) {
  if (function == nullptr) [[unlikely]]
    nobody_has(symbol);
  return function;
}

inline RealFunctions* real_of(const void* caller, const char* symbol) {
  entering(symbol, caller);
  return &runtime_of(caller, symbol).real;
}

}  // namespace muster
