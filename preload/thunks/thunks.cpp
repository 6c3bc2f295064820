// The call targets of the thunks: the function that the loader would choose, looked up once for each calling object,
// and what is done before the call in a thread that has a fold. docs/understand/transparency.md, "Thunks".
#include "preload/thunks/thunks.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>

#include "platform/thread_place.h"
#include "preload/entry.h"
#include "preload/serial/serial.h"
#include "preload/thunks/call_targets.h"
#include "preload/thunks/observed_calls.h"
#include "preload/thunks/serial_answers.h"
#include "preload/thunks/thunk_banks.h"
#include "runtime-hooks/folding/call_effects.h"
#include "runtime-hooks/objects/call_target.h"
#include "runtime-hooks/objects/dynamic_symbols.h"
#include "runtime-hooks/objects/loaded_objects.h"
#include "runtime-hooks/runtimes/loop_rules.h"
#include "runtime-hooks/runtimes/runtime.h"
#include "runtime-hooks/runtimes/thunk_banks.h"
#include "runtime-hooks/teams/barrier_gate.h"
#include "runtime-hooks/teams/lost_threads.h"

namespace muster {
namespace {

#define MUSTER_THUNK(name, effect)
#define MUSTER_ANSWERED(name)
#define MUSTER_IMPLEMENTED(name) \
  extern "C" __attribute__((visibility("hidden"))) void muster_entry_##name();
#include "thunk_names.inc"
#undef MUSTER_IMPLEMENTED
#undef MUSTER_ANSWERED
#undef MUSTER_THUNK

struct Thunk {
  const char* name;
  Effect effect;
  AnyFunction entry = nullptr;  // Muster's, if the runtime is replaced (preload/*_entries.cpp)
};

#define MUSTER_THUNK(name, effect) {#name, Effect::effect},
#define MUSTER_ANSWERED(name) {#name, Effect::kCloses},
#define MUSTER_IMPLEMENTED(name) {#name, Effect::kCloses, muster_entry_##name},
constexpr Thunk kThunks[] = {
#include "thunk_names.inc"
};
#undef MUSTER_IMPLEMENTED
#undef MUSTER_ANSWERED
#undef MUSTER_THUNK
static_assert(std::is_sorted(std::begin(kThunks), std::end(kThunks),
                             [](const Thunk& left, const Thunk& right) {
                               return std::string_view(left.name) < right.name;
                             }));

// The machine code tests for what generate.cmake says.
#define MUSTER_EFFECT(effect, states) static_assert(states_with(Effect::effect) == (states));
#include "effect_states.inc"
#undef MUSTER_EFFECT

constexpr unsigned kThunkCount = sizeof(kThunks) / sizeof(kThunks[0]);

}  // namespace

// Indexed by the thunks' numbers.
extern "C" Targets muster_thunk_targets[kThunkCount];
constinit Targets muster_thunk_targets[kThunkCount] = {};

// The functions of each bank's runtime, which all callers of the bank reach; null until they are looked up. Bank 0 is
// not used.
using Function = std::atomic<void*>;
static_assert(sizeof(Function) == 8 && Function::is_always_lock_free);
extern "C" Function muster_bank_functions[kThunkBanks + 1][kThunkCount];
constinit Function muster_bank_functions[kThunkBanks + 1][kThunkCount] = {};

namespace {

// The same for calls whose return address is in Muster: a region's function made the call as a tail call, so that its
// own frame is gone. They belong to the runtime of the region.
constinit Targets g_region_targets[kThunkCount] = {};

bool is_bound_to(const Target& target, const Runtime& runtime) {
  const auto* inside = reinterpret_cast<const void*>(target.begin);
  for (const bool gomp : {false, true}) {
    const Binding* binding = known_binding(inside, gomp);
    if (binding != nullptr && binding->runtime == &runtime) return !target.from_runtime;
  }
  return false;
}

// The target of a tail call from a region's function, which leaves only Muster's wrapper on the stack: that of any
// object which uses the region's runtime, preferably a function of that runtime. If no such object refers to the
// name, a function of the runtime has made a tail call to another one. Takes no lock of the loader's: all threads of
// a team get here at the same time, and one of them may be loading something.
Target target_in_region(unsigned index, const Runtime& runtime) {
  Targets& list = g_region_targets[index];
  for (const Target* target = list.load(std::memory_order_acquire); target != nullptr;
       target = target->next) {
    if (target->runtime == &runtime &&
        __atomic_load_n(&target->function, __ATOMIC_ACQUIRE) != nullptr) {
      return *target;
    }
  }
  Target found{.runtime = &runtime, .to_runtime = true};
  for (const Target* target = muster_thunk_targets[index].load(std::memory_order_acquire);
       target != nullptr && !runtime.contains(found.function); target = target->next) {
    if (target->size != 0 && is_bound_to(*target, runtime)) found.function = target->function;
  }
  if (found.function == nullptr) found.function = definition_in(runtime, kThunks[index].name);
  if (found.function != nullptr) remember(list, found);
  return found;
}

// One more than the number of objects that had been loaded when a lookup found the name undefined; on musl that number
// begins with 0. As long as no more are loaded, it remains undefined.
constinit std::atomic<std::uint64_t> g_undefined_at[kThunkCount] = {};

// The target of a name that Muster has an entry point for: that entry point, if the runtime is replaced. If not, or if it
// is observed, the runtime's function (or a thunk of observed_calls.cpp): its tools see the program's return address.
Target target_of_entry(unsigned index, const void* caller, const Binding& binding) {
  const Runtime& runtime = *binding.runtime;
  const char* name = kThunks[index].name;
  Target target{.begin = binding.begin, .size = binding.end - binding.begin, .to_runtime = true};
  target.from_runtime = runtime.contains(caller);
  if (!runtime.replaced || runtime.observed) {
    void* real =
        target.from_runtime ? definition_in(runtime, name) : call_target_of(caller, name).function;
    target.function = runtime.replaced ? observed_call(*binding.runtime, name, real) : real;
  } else if (definition_in(runtime, name) != nullptr) {
    target.function = reinterpret_cast<void*>(kThunks[index].entry);
    target.bound_to = &runtime;
  }
  if (target.function != nullptr && target.size != 0) remember(muster_thunk_targets[index], target);
  return target;
}

// The same if the binding is known already. Takes no lock of the loader's if the runtime is replaced.
Target target_of_bound_entry(unsigned index, const void* caller) {
  const bool gomp = is_gomp(kThunks[index].name);
  if (in_muster(caller)) {  // the runtime of the region that the thread is in
    Runtime* runtime = runtime_of_region();
    if (runtime == nullptr || !runtime->replaced) return {};
    const auto begin = reinterpret_cast<std::uintptr_t>(__ehdr_start);
    return target_of_entry(index, caller,
                           {begin, reinterpret_cast<std::uintptr_t>(_end), gomp, runtime});
  }
  if (Runtime* itself = runtime_with(caller))
    return target_of_entry(index, caller, {itself->object.begin, itself->object.end, gomp, itself});
  const Binding* binding = known_binding(caller, gomp);
  return binding != nullptr ? target_of_entry(index, caller, *binding) : Target{};
}

Target look_up_entry(unsigned index, const void* caller) {
  const std::uint64_t loads = object_counts().loaded + 1;
  const Binding binding = binding_of(caller, kThunks[index].name);
  if (binding.runtime == &no_runtime()) {
    g_undefined_at[index].store(loads, std::memory_order_relaxed);
    return {};
  }
  const Target* target = known(muster_thunk_targets[index], caller);
  return target != nullptr ? *target : target_of_entry(index, caller, binding);
}

Target look_up(unsigned index, const void* caller) {
  if (kThunks[index].entry != nullptr) return look_up_entry(index, caller);
  const std::uint64_t loads = object_counts().loaded + 1;
  const CallTarget found = call_target_of(caller, kThunks[index].name);
  const Target target{.begin = found.begin,
                      .size = found.end - found.begin,
                      .function = found.function,
                      .from_runtime = found.from_itself,
                      .to_runtime = is_of_runtime(found.function)};
  if (found.function == nullptr) {
    g_undefined_at[index].store(loads, std::memory_order_relaxed);
  } else if (found.end != 0 && !in_muster(caller)) {
    remember(muster_thunk_targets[index], target);
  }
  return target;
}

// Calls made by a runtime itself. Its functions may make a tail call to another one that it exports. The return
// address is then that of its caller, whose object does not refer to that name, or find_call_targets() would have
// found it. Takes no lock of the loader's.
Target target_of_runtime(unsigned index, const void* caller) {
  const char* name = kThunks[index].name;
  Target target;
  const Runtime* runtime = runtime_with(caller);
  if (runtime != nullptr) {
    const LoadedObject& object = runtime->object;
    target = {.begin = object.begin,
              .size = object.end - object.begin,
              .from_runtime = true,
              .to_runtime = true};
  } else {
    const Binding* binding = known_binding(caller, is_gomp(name));
    if (binding == nullptr) binding = known_binding(caller, !is_gomp(name));
    if (binding == nullptr) return target;
    runtime = binding->runtime;
    target = {.begin = binding->begin, .size = binding->end - binding->begin, .to_runtime = true};
  }
  target.function = definition_in(*runtime, name);
  if (target.function != nullptr) remember(muster_thunk_targets[index], target);
  return target;
}

// The function that a bank's runtime has of that name. Takes no lock of the loader's.
Target target_of_bank(unsigned index, const void* caller) {
  const unsigned bank = bank_of(caller);
  const Thunk& thunk = kThunks[index];
  Function& known = muster_bank_functions[bank][index];
  Target target{.function = known.load(std::memory_order_acquire), .to_runtime = true};
  if (target.function == nullptr) g_calls_looked_up.fetch_add(1, std::memory_order_relaxed);
  if (thunk.entry == nullptr) {
    const LoadedObject object = runtime_of_bank(bank);
    if (target.function == nullptr && object.found())
      target.function = defined_by(object, thunk.name);
  } else {
    Runtime& runtime = runtime_of(caller, thunk.name);
    if (&runtime == &no_runtime()) return {};
    if (target.function == nullptr) {
      void* const real = definition_in(runtime, thunk.name);
      target.function = real;
      if (runtime.replaced && real != nullptr) {
        target.function = runtime.observed ? observed_call(runtime, thunk.name, real)
                                           : reinterpret_cast<void*>(thunk.entry);
      }
    }
    if (target.function == reinterpret_cast<void*>(thunk.entry)) target.bound_to = &runtime;
  }
  known.store(target.function, std::memory_order_release);
  return target;
}

// If the call belongs to a bank although it came by a usual thunk, the caller is put into that bank.
Target target_of(unsigned index, const void*& caller) {
  const auto in_its_bank = [&](unsigned bank) {
    const Target target = target_of_bank(index, in_bank(bank, caller));
    if (target.function != nullptr) caller = in_bank(bank, caller);
    return target;
  };
  if (const unsigned bank = bank_of(caller)) {
    caller = return_address_of(caller);
    if (const Target target = in_its_bank(bank); target.function != nullptr) return target;
  }
  if (const Target* target = known(muster_thunk_targets[index], caller)) {
    return target->bank != 0 ? in_its_bank(target->bank) : *target;
  }
  const std::uint64_t undefined_at = g_undefined_at[index].load(std::memory_order_relaxed);
  const bool is_undefined = undefined_at != 0 && undefined_at == object_counts().loaded + 1;
  const RangeInBank range = is_undefined ? RangeInBank{} : bank_for_call(index, caller);
  if (range.bank != 0) {
    const Target target = in_its_bank(range.bank);
    if (target.function != nullptr && range.size != 0) {
      remember_in_bank(muster_thunk_targets[index],
                       {.begin = range.begin,
                        .size = range.size,
                        .function = reinterpret_cast<void*>(bank_thunk(range.bank, index)),
                        .to_runtime = true,
                        .bank = range.bank});
    }
    return target;
  }
  g_calls_looked_up.fetch_add(1, std::memory_order_relaxed);
  if (kThunks[index].entry != nullptr) {
    if (const Target bound = target_of_bound_entry(index, caller); bound.function != nullptr)
      return bound;
  } else if (in_muster(caller)) {
    if (const Runtime* runtime = runtime_of_region()) return target_in_region(index, *runtime);
  }
  if (kThunks[index].entry == nullptr) {
    if (const Target own = target_of_runtime(index, caller); own.function != nullptr) return own;
  }
  look_for_unloaded();
  return is_undefined ? Target{} : look_up(index, caller);
}

void nothing_to_wait_for() {}

AnyFunction function_to_call(unsigned index, const void*& caller) {
  const Thunk& thunk = kThunks[index];
  if (thunk.entry != nullptr) ensure_ready();
  const Target target = target_of(index, caller);
  if (target.function == nullptr) {
    return kSerialAnswers[index] != nullptr ? kSerialAnswers[index]
                                            : function_for_missing(thunk.name, caller);
  }
  if (thunk.entry != nullptr) {
    if (in_inactive_region() && target.bound_to != nullptr && !target.from_runtime) {
      if (is_barrier_of_one(thunk.name, caller))
        return reinterpret_cast<AnyFunction>(nothing_to_wait_for);
      make_region_real(thunk.name, caller);
    }
    return reinterpret_cast<AnyFunction>(target.function);
  }
  if (thunk.effect == Effect::kCreatesTasks) {
    Runtime* const runtime = runtime_with(target.function);
    runtime != nullptr ? note_target_task(*runtime) : note_task(/*lasting=*/true);
  }
  if (thunk.effect == Effect::kPauses) {
    if (const Runtime* runtime = runtime_with(target.function)) {
      if (g_threads_are_lost && runtime->replaced && would_use_lost_pool(*runtime))
        return reinterpret_cast<AnyFunction>(nothing_paused);  // it would wait for them
      forget_pool(*runtime);
    }
  }
  if (thunk.effect == Effect::kDisplays) {
    if (Runtime* const runtime = runtime_with(target.function)) restore_spins(*runtime);
  }
  if (thunk.effect == Effect::kSetsDefaults) g_defaults_set.store(true, std::memory_order_relaxed);
  const auto state = static_cast<std::uint8_t>(t_muster_fold_state);
  const bool has_effect = (state & states_with(thunk.effect)) != 0;
  const bool is_of_another = target.to_runtime && is_of_another_runtime(target.function);
  if (has_effect && !target.from_runtime && !is_of_another) [[unlikely]] {
    if (kSerialAnswers[index] != nullptr) return kSerialAnswers[index];
    apply_effect(thunk.name, thunk.effect, caller);
  }
  return reinterpret_cast<AnyFunction>(target.function);
}

unsigned index_of(const char* name) {
  const auto* found = std::lower_bound(
      std::begin(kThunks), std::end(kThunks), name,
      [](const Thunk& thunk, const char* text) { return std::strcmp(thunk.name, text) < 0; });
  const bool is_it = found != std::end(kThunks) && std::strcmp(found->name, name) == 0;
  return is_it ? static_cast<unsigned>(found - kThunks) : kThunkCount;
}

void find_for_reference(const DynamicSymbols& symbols, std::size_t i, void* data) {
  const auto& binding = *static_cast<const Binding*>(data);
  const auto* caller = reinterpret_cast<const void*>(binding.begin);
  const unsigned index = index_of(symbols.name(i));
  if (index == kThunkCount || known(muster_thunk_targets[index], caller) != nullptr) return;
  if (kThunks[index].entry == nullptr) {
    look_up(index, caller);
  } else if (is_gomp(kThunks[index].name) == binding.gomp) {
    target_of_entry(index, caller, binding);
  }
}

}  // namespace

void forget_call_targets(const Gone& gone) {
  for (unsigned bank = 1; bank <= kThunkBanks; ++bank) {
    const LoadedObject runtime = runtime_of_bank(bank);
    if (!runtime.found() || !gone(runtime.begin)) continue;
    for (Function& function : muster_bank_functions[bank])
      function.store(nullptr, std::memory_order_release);
  }
  for (const Targets& list : muster_thunk_targets) {
    for_each_target(list, [&](Target& target) {
      if (target.depends_on(gone)) forget(target);
    });
  }
  for (const Targets& list : g_region_targets) {
    for_each_target(list, [&](Target& target) {
      if (target.depends_on(gone)) __atomic_store_n(&target.function, nullptr, __ATOMIC_RELEASE);
    });
  }
}

void forget_banks_of_ranges() {
  if (!knows_ranges_in_banks()) return;
  for (const Targets& list : muster_thunk_targets) {
    for_each_target(list, [](Target& target) {
      if (target.bank != 0) forget(target);
    });
  }
}

unsigned thunk_count() { return kThunkCount; }
unsigned thunk_of(const char* name) { return index_of(name); }
const char* thunk_name(unsigned thunk) { return kThunks[thunk].name; }

bool has_thunk(const char* name) { return index_of(name) != kThunkCount; }

void find_call_targets(const LoadedObject& caller, const Runtime& runtime, bool gomp) {
  Binding binding{caller.begin, caller.end, gomp, const_cast<Runtime*>(&runtime)};
  for_each_reference(dynamic_symbols_of(caller), find_for_reference, &binding);
}

// The slow path of a thunk, whose number is that of its bank times kThunkCount, and its own. Returns the function to
// jump to. Preserves errno.
extern "C" AnyFunction muster_thunk_decide(unsigned number, const void* return_address);
extern "C" AnyFunction muster_thunk_decide(unsigned number, const void* return_address) {
  const int saved = errno;
  const void* caller = in_bank(number / kThunkCount, return_address);
  const AnyFunction function = function_to_call(number % kThunkCount, caller);
  t_muster_bank = static_cast<std::uint8_t>(bank_of(caller));
  errno = saved;
  return function;
}

}  // namespace muster
