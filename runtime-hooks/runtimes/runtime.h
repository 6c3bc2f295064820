// An OpenMP runtime in this process: its address range, its real entry points, and whether Muster replaces its
// barriers. A process may have several, each with its own callers.
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

// The global thread number that clang's region functions take. libgomp runs no such regions and has no such numbers.
inline abi::GlobalThread global_thread_number(const RealFunctions& real) {
  return real.__kmpc_global_thread_num != nullptr ? real.__kmpc_global_thread_num(nullptr) : 0;
}

// Whether a runtime's regions can be folded, as far as it depends on the runtime.
enum class Foldable : std::uint8_t { kNotJudged, kYes, kNoStart, kUnknownEntries };

struct Runtime {
  RealFunctions real;
  LoadedObject object;  // its path is this one's:
  char path[1024] = {};
  RuntimeKind kind = RuntimeKind::kLibomp;
  bool replaced = false;  // else every call passes through, because of `reason`
  PassReason reason = PassReason::kOff;
  // By an OMPT tool, which sees the program's calls: only barriers are replaced (teams/observed_barrier.h).
  bool observed = false;
  // These two are written as atomics, by any thread that folds one of the runtime's regions.
  bool handles_fork = false;  // a fold is closed before its primary thread forks the process
  Foldable foldable = Foldable::kNotJudged;
  // Any of the runtime's threads may run a target task, even at a join, and in libgomp such a task is in no region. So
  // after the first target task no region of the runtime is folded. Written as an atomic.
  bool has_target_tasks = false;
  ReductionRules reductions;
  bool computes_loops = false;  // Muster may, in place of the runtime (loop_rules.h)
  // libgomp's own, while it has a value of Muster's (spin_count.h); else null. Written as an atomic.
  std::uint64_t* shortened_spins = nullptr;
  // Arrivals at Muster's barriers: see arrivals_of() (accounting.h).
  std::uint64_t credited_arrivals = 0;
  bool stays = true;  // loaded until the process ends; else it may be unloaded
  // The number of this load among all in the process; 0 after it is unloaded. The entry is used again when the same
  // runtime is loaded at its old addresses.
  unsigned load = 0;
  // At some time, through Muster, by an object other than the runtime. Written as an atomic.
  bool was_called = false;

  // Of the region that the calling thread is in. libomp's omp_get_num_threads would call the other function through
  // Muster's entry point.
  int team_size() const {
    return real.__kmpc_bound_num_threads != nullptr ? real.__kmpc_bound_num_threads(nullptr)
                                                    : real.omp_get_num_threads();
  }

  // Whether a return address lies in the runtime: then the runtime itself made the call, through its procedure linkage
  // table.
  bool contains(const void* address) const { return object.contains(address); }

  // Whether the entry still stands for the load with that number.
  bool is_still(unsigned its_load) const {
    return __atomic_load_n(&load, __ATOMIC_ACQUIRE) == its_load;
  }
};

// The runtime to which the code at `caller` is bound for `symbol`: the one that it would call without Muster.
// Resolved once per calling object, then looked up (thread-safe, a few ns). RTLD_NEXT alone does not suffice: it is
// null for a runtime opened with RTLD_LOCAL, and ambiguous with two runtimes. For a symbol that no object defines it
// is no_runtime(), which is not cached.
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

// The cached binding, or null. Takes no lock. An object that does not fit into the cache is resolved at each call.
extern AddressCache<Binding, 4096> g_bindings;
inline const Binding* known_binding(const void* caller, bool gomp) {
  return g_bindings.find(caller, [gomp](const Binding& binding) { return binding.gomp == gomp; });
}

inline bool is_gomp(const char* symbol) { return symbol[0] == 'G'; }

inline Runtime& runtime_of(const void* caller, const char* symbol) {
  const Binding* known = known_binding(caller, is_gomp(symbol));
  return known != nullptr ? *known->runtime : *binding_of(caller, symbol).runtime;
}

// The runtime whose region the calling thread is in; null outside any region. `runtime_of` answers, from the threads'
// frames (teams/), and is set before the first region. It is not set where threads can have no frames; no runtime is
// replaced then.
using RuntimeOfRegion = Runtime* (*)();
void threads_know_their_region(RuntimeOfRegion runtime_of);
bool threads_know_their_region();
Runtime* runtime_of_region();

// A substitute where there is no runtime. It is never replaced; its functions are set by give_functions().
Runtime& no_runtime();
using FunctionWithoutRuntime = void* (*)(const char* symbol);
void give_functions(FunctionWithoutRuntime function_of);

// The runtime that contains `address`, of those found so far; else null. Takes no lock.
Runtime* runtime_with(const void* address);

// Gives libgomp its own spin count back: the program asks for it to be shown. Any number of times. Takes Muster's lock.
void restore_spins(Runtime& runtime);

// The runtime's definition of `symbol`; else null. Takes no lock.
void* definition_in(const Runtime& runtime, const char* symbol);

// Those found so far, for the report; some may be unloaded, with `load` 0.
unsigned known_runtimes(Runtime* const** list);

// Whether `function` is in an object that is an OpenMP runtime, found so far or not. Slow.
bool is_of_runtime(const void* function);

// MUSTER=off: nothing is replaced. Set before the first call.
void switch_runtimes(bool on);
bool runtimes_switched_on();

// Called before code of an object is bound to a runtime for the first time, for either kind of symbols, by the calling
// thread (possibly by several at once), with none of Muster's locks held. Set before the first call.
using BindingObserver = void (*)(const LoadedObject& caller, const Runtime& runtime, bool gomp);
void observe_bindings(BindingObserver observer);

// Called once per runtime when it is found; for the verbose log. Set before the first call.
using RuntimeObserver = void (*)(const Runtime&);
void observe_runtimes(RuntimeObserver observer);

// For when_unloaded() (objects/unloading.h).
void forget_runtimes(const Gone& gone);

// In the child of a fork: unlocks what threads that do not exist here had locked.
void runtimes_after_fork();

}  // namespace muster
