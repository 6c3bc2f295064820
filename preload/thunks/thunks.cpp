// Where the thunks go on: once for each calling object the loader's own choice, and what comes before
// it in a thread that a fold concerns. docs/runtime-hooks.md, "Thunks".
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "preload/thunks/serial_answers.h"
#include "runtime-hooks/destination.h"
#include "runtime-hooks/folding/watch.h"
#include "runtime-hooks/loaded_objects.h"
#include "runtime-hooks/runtime.h"

// The library's first and last byte, as the linker has them.
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start[];
extern "C" __attribute__((visibility("hidden"))) const char _end[];

namespace muster {
namespace {

struct Thunk {
  const char* name;
  Effect effect;
};

#define MUSTER_THUNK(name, effect) {#name, Effect::effect},
#define MUSTER_ANSWERED(name) {#name, Effect::kCloses},
constexpr Thunk kThunks[] = {
#include "thunk_names.inc"
};
#undef MUSTER_ANSWERED
#undef MUSTER_THUNK
constexpr unsigned kThunkCount = sizeof(kThunks) / sizeof(kThunks[0]);

}  // namespace

// Where the calls of one object go. The machine code reads the first four. Written once, then
// published at the head of its thunk's list; never taken away.
struct Target {
  std::uintptr_t begin = 0;  // the calling object's address range
  std::uintptr_t size = 0;
  void* function = nullptr;
  const Target* next = nullptr;
  const Runtime* runtime = nullptr;  // in g_region_targets only
  bool from_runtime = false;         // the calling object is the runtime itself

  bool serves(const void* caller) const {
    return reinterpret_cast<std::uintptr_t>(caller) - begin < size;
  }
};
static_assert(offsetof(Target, begin) == 0 && offsetof(Target, size) == 8 &&
              offsetof(Target, function) == 16 && offsetof(Target, next) == 24);

using Targets = std::atomic<const Target*>;
static_assert(sizeof(Targets) == 8 && Targets::is_always_lock_free);

// By the thunks' numbers.
extern "C" Targets muster_thunk_targets[kThunkCount];
constinit Targets muster_thunk_targets[kThunkCount] = {};

namespace {

// The same for calls whose return address is in Muster: a region's function ended with the call and
// jumped there, so that its own frame is gone. These belong to the runtime of the region.
constinit Targets g_region_targets[kThunkCount] = {};

constexpr unsigned kMaxTargets = 4096;
Target g_pool[kMaxTargets];
std::atomic<unsigned> g_pool_used{0};

// Publishes it; one that finds no room is good for the present call only. Two threads that do so at
// once leave the same twice, which is harmless, and no lock is held that a fork could leave behind.
void remember(Targets& list, const Target& target) {
  if (g_pool_used.load(std::memory_order_relaxed) >= kMaxTargets) return;
  const unsigned place = g_pool_used.fetch_add(1, std::memory_order_relaxed);
  if (place >= kMaxTargets) return;
  Target& kept = g_pool[place];
  kept = target;
  kept.next = list.load(std::memory_order_relaxed);
  while (!list.compare_exchange_weak(kept.next, &kept, std::memory_order_release,
                                     std::memory_order_relaxed)) {
  }
}

const Target* known(const Targets& list, const void* caller) {
  const Target* target = list.load(std::memory_order_acquire);
  while (target != nullptr && !target->serves(caller)) target = target->next;
  return target;
}

bool in_muster(const void* address) {
  const auto begin = reinterpret_cast<std::uintptr_t>(__ehdr_start);
  return reinterpret_cast<std::uintptr_t>(address) - begin <
         reinterpret_cast<std::uintptr_t>(_end) - begin;
}

// Where a call from a region's function goes that left nothing but our wrapper on the stack.
Target target_in_region(unsigned index, const Runtime& runtime) {
  Targets& list = g_region_targets[index];
  for (const Target* target = list.load(std::memory_order_acquire); target != nullptr;
       target = target->next) {
    if (target->runtime == &runtime) return *target;
  }
  const auto place = reinterpret_cast<const void*>(runtime.begin);
  const Target found{.function = destination_in_region(place, kThunks[index].name),
                     .runtime = &runtime};
  if (found.function != nullptr) remember(list, found);
  return found;
}

// How many objects the loader had loaded when nobody had the name: as long as there are no more,
// nobody has it.
constinit std::atomic<std::uint64_t> g_nobody_at[kThunkCount] = {};

Target target_of(unsigned index, const void* caller) {
  if (const Target* target = known(muster_thunk_targets[index], caller)) return *target;
  if (in_muster(caller)) {
    if (const Runtime* runtime = runtime_of_region()) return target_in_region(index, *runtime);
  }
  const std::uint64_t loads = objects_loaded_so_far();
  if (g_nobody_at[index].load(std::memory_order_relaxed) == loads) return {};
  const Destination found = destination_of(caller, kThunks[index].name);
  if (found.function == nullptr) g_nobody_at[index].store(loads, std::memory_order_relaxed);
  const Target target{.begin = found.begin,
                      .size = found.end - found.begin,
                      .function = found.function,
                      .from_runtime = found.from_itself};
  if (found.function != nullptr && found.end != 0 && !in_muster(caller))
    remember(muster_thunk_targets[index], target);
  return target;
}

// The flags that the thunk's machine code looks at, too.
std::uint8_t flags_of(Effect effect) {
  return effect == Effect::kCloses ? kInSerialPart : std::uint8_t{0xFF};
}

AnyFunction go_on(unsigned index, const void* caller) {
  const Thunk& thunk = kThunks[index];
  const Target target = target_of(index, caller);
  if (target.function == nullptr) {
    if (kSerialAnswers[index] != nullptr) return kSerialAnswers[index];
    if (const AnyFunction answer = answer_without_runtime(thunk.name)) return answer;
    nobody_has(thunk.name);
  }
  const std::uint8_t watched = t_muster_watches & flags_of(thunk.effect);
  if (watched != 0 && !target.from_runtime) [[unlikely]] {
    if (kSerialAnswers[index] != nullptr) return kSerialAnswers[index];
    on_watched_call(thunk.name, thunk.effect, caller);
  }
  return reinterpret_cast<AnyFunction>(target.function);
}

}  // namespace

// The slow path of a thunk. Leaves errno alone.
extern "C" AnyFunction muster_thunk_decide(unsigned index, const void* caller);
extern "C" AnyFunction muster_thunk_decide(unsigned index, const void* caller) {
  const int saved = errno;
  const AnyFunction function = go_on(index, caller);
  errno = saved;
  return function;
}

}  // namespace muster
