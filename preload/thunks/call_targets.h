// The lists of call targets that the usual thunks search: one for each name, with an entry for each calling object.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "runtime-hooks/objects/unloading.h"

namespace muster {

struct Runtime;

// The call target for one calling object. The machine code reads the first four members. Written once, then published
// at the head of its thunk's list. Never removed, since a thread may be reading it at any time. When the calling
// object or that of the function is unloaded, the size becomes 0, so that no caller matches, until another object is
// loaded at exactly the same addresses.
struct Target {
  std::uintptr_t begin = 0;  // the calling object's address range
  std::uintptr_t size = 0;
  void* function = nullptr;  // for regions: null after its object was unloaded
  const Target* next = nullptr;
  const Runtime* runtime = nullptr;  // for regions only
  const Runtime* bound_to =
      nullptr;                // Muster's entries only: invalid after that runtime was unloaded
  bool from_runtime = false;  // the calling object is the runtime itself
  bool to_runtime = false;    // the function is a runtime's, not that of a tool that interposes it
  unsigned bank = 0;          // the function is a thunk of this bank
  std::uintptr_t full_size = 0;  // what `size` is until something is unloaded

  bool is_free_for(const Target& other) const {
    if (runtime != other.runtime) return false;
    if (runtime != nullptr) return function == nullptr;
    return size == 0 && begin == other.begin && full_size == other.size;
  }
  bool serves(const void* caller) const {
    return reinterpret_cast<std::uintptr_t>(caller) - begin <
           __atomic_load_n(&size, __ATOMIC_ACQUIRE);
  }
  bool depends_on(const Gone& gone) const;
};
static_assert(offsetof(Target, begin) == 0 && offsetof(Target, size) == 8 &&
              offsetof(Target, function) == 16 && offsetof(Target, next) == 24);

using Targets = std::atomic<const Target*>;
static_assert(sizeof(Targets) == 8 && Targets::is_always_lock_free);

// If there is no room, it is used for the current call only. Two threads may add the same entry twice, which is
// harmless. There is no lock that a fork could leave locked.
void remember(Targets& list, const Target& target);

// The same for a bank: the calls go on to its thunk, since an entry point reads the bank that the last thunk has set. Not
// in a list that would grow so long that what bank_for_call() keeps is faster.
void remember_in_bank(Targets& list, const Target& target);
// Whether that was called since the last time that this was.
bool knows_ranges_in_banks();

const Target* known(const Targets& list, const void* caller);

// Calls visit(target) for each.
template <class Visit>
void for_each_target(const Targets& list, Visit&& visit) {
  for (auto* target = const_cast<Target*>(list.load(std::memory_order_acquire)); target != nullptr;
       target = const_cast<Target*>(target->next)) {
    visit(*target);
  }
}

// No caller matches from now on.
inline void forget(Target& target) {
  __atomic_store_n(&target.size, std::uintptr_t{0}, __ATOMIC_RELEASE);
}

}  // namespace muster
