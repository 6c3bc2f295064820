// An OpenMP runtime in this process: where it lies, its real entry points, and whether Muster
// replaces its barriers. A process may hold several, each with its own callers.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime-hooks/objects/address_cache.h"
#include "runtime-hooks/objects/loaded_objects.h"
#include "runtime-hooks/objects/unloading.h"
#include "runtime-hooks/runtimes/pass_reason.h"
#include "runtime-hooks/runtimes/real_functions.h"
#include "runtime-hooks/runtimes/reduction.h"

namespace muster {

enum class RuntimeKind { kLibomp, kLibiomp5, kLibgomp };

constexpr const char* name_of(RuntimeKind kind) {
  switch (kind) {
    case RuntimeKind::kLibomp:
      return "libomp";
    case RuntimeKind::kLibiomp5:
      return "libiomp5";
    case RuntimeKind::kLibgomp:
      return "libgomp";
  }
  return "";
}

// What the functions of clang's regions take. libgomp runs none of these and has no such numbers.
inline abi::GlobalThread global_thread_number(const RealFunctions& real) {
  return real.__kmpc_global_thread_num != nullptr ? real.__kmpc_global_thread_num(nullptr) : 0;
}

// Whether regions of a runtime can be folded, as far as that depends on the runtime.
enum class Foldable : std::uint8_t { kNotJudged, kYes, kNoStart, kUnknownEntries };

struct Runtime {
  RealFunctions real;
  LoadedObject object;  // its path is this one's:
  char path[1024] = {};
  RuntimeKind kind = RuntimeKind::kLibomp;
  bool replaced = false;  // else every call passes through, because of `reason`
  PassReason reason = PassReason::kOff;
  // Both written by any thread that folds a region of its, as atomics.
  bool fork_is_watched = false;  // a fold is closed before its primary thread forks the process
  Foldable foldable = Foldable::kNotJudged;
  // Any of its threads may run a target task, at a join, too, and libgomp does so as if the thread were in no
  // region. So once there was one, nothing of its is folded any more. Written as an atomic.
  bool has_target_tasks = false;
  ReductionRules reductions;
  std::uint64_t handed_over = 0;  // arrivals at Muster's barriers: see arrivals_of() (accounting.h)
  bool stays = true;  // loaded for as long as the process lives; else it may be unloaded
  // Which of all loads this is, counted in the process; 0 once it has gone. An entry serves the same
  // runtime again where that comes back to its old place.
  unsigned load = 0;
  // By another object than the runtime, at some time, through Muster. Written as an atomic.
  bool was_called = false;

  // Of the region that the calling thread is in. libomp's omp_get_num_threads jumps to the other, by
  // way of our own entry point.
  int team_size() const {
    return real.__kmpc_bound_num_threads != nullptr ? real.__kmpc_bound_num_threads(nullptr)
                                                    : real.omp_get_num_threads();
  }

  // Whether a return address lies in the runtime: then it is the runtime's own call that came back
  // to us through its procedure linkage table.
  bool contains(const void* address) const { return object.contains(address); }

  // For whoever has used it before: whether it is still the one that was that load.
  bool is_still(unsigned its_load) const {
    return __atomic_load_n(&load, __ATOMIC_ACQUIRE) == its_load;
  }
};

// The runtime that the code at `caller` is bound to for `symbol`: the one that would have been
// called without Muster. Resolved once per calling object, then looked up (thread-safe, a few ns).
// RTLD_NEXT alone would not do: it is null for a runtime opened with RTLD_LOCAL, and ambiguous with
// two runtimes. For a symbol that nobody has: no_runtime(), which is looked for again each time.
struct Binding {
  std::uintptr_t begin = 0;  // the calling object's address range
  std::uintptr_t end = 0;
  bool gomp = false;           // GOMP_* and __kmpc_* may be bound to different runtimes
  Runtime* runtime = nullptr;  // null: the object, or the runtime, has been unloaded

  bool serves_as(const Binding& other) const { return gomp == other.gomp; }
  Runtime*& value() { return runtime; }
  Runtime* const& value() const { return runtime; }
};
Binding binding_of(const void* caller, const char* symbol);

// One of those that are known already, or null. Takes no lock. An object for which there is no entry left is resolved
// at each call.
extern AddressCache<Binding, 4096> g_bindings;
inline const Binding* known_binding(const void* caller, bool gomp) {
  return g_bindings.find(caller, [gomp](const Binding& binding) { return binding.gomp == gomp; });
}

inline bool is_gomp(const char* symbol) { return symbol[0] == 'G'; }

inline Runtime& runtime_of(const void* caller, const char* symbol) {
  const Binding* known = known_binding(caller, is_gomp(symbol));
  return known != nullptr ? *known->runtime : *binding_of(caller, symbol).runtime;
}

// Whose region the calling thread is in; null if it is in none. Answered by `runtime_of`, from whoever keeps
// the threads' frames (teams/). Set before the first region; never, where threads can have no frames: then no runtime is
// replaced.
using RuntimeOfRegion = Runtime* (*)();
void threads_know_their_region(RuntimeOfRegion runtime_of);
bool threads_know_their_region();
Runtime* runtime_of_region();

// What stands for a runtime where there is none. It is never replaced, and its functions are those that
// give_functions() was told, by name.
Runtime& no_runtime();
using FunctionWithoutRuntime = void* (*)(const char* symbol);
void give_functions(FunctionWithoutRuntime function_of);

// The runtime whose own code is at `address`, of those found so far; null if it is in none. No lock.
Runtime* runtime_with(const void* address);

// Its own definition of `symbol`; null if it has none. No lock.
void* definition_in(const Runtime& runtime, const char* symbol);

// Those found so far, for the report; some may be gone, with `load` 0.
unsigned known_runtimes(Runtime* const** list);

// Whether `function` is of an object that has what makes a runtime, found so far or not. Slow.
bool is_of_runtime(const void* function);

// MUSTER=off: nothing is replaced. Set before the first call.
void switch_runtimes(bool on);
bool runtimes_switched_on();

// Called before code of an object is bound to a runtime for the first time, for either kind of symbols, by
// the thread that calls it (perhaps by several at once), with none of Muster's locks held. Set before the
// first call.
using BindingObserver = void (*)(const LoadedObject& caller, const Runtime& runtime, bool gomp);
void observe_bindings(BindingObserver observer);

// Called once per runtime when it is found; for the verbose log. Set before the first call.
using RuntimeObserver = void (*)(const Runtime&);
void observe_runtimes(RuntimeObserver observer);

// For when_unloaded() (unloading.h).
void forget_runtimes(const Gone& gone);

// In the child of a fork: locks of threads that are no more are opened again.
void runtimes_after_fork();

}  // namespace muster
