#include "preload/thunks/call_targets.h"

#include "runtime-hooks/runtimes/runtime.h"

namespace muster {
namespace {

constexpr unsigned kMaxTargets = 16384;  // pages that are never written cost nothing
Target g_pool[kMaxTargets];
std::atomic<unsigned> g_pool_used{0};
constexpr unsigned kMostInBanks = 16;  // of a list
std::atomic<bool> g_knows_ranges{false};

// The entry of an unloaded object, if `target` is for an object at exactly the same addresses.
Target* reusable(const Targets& list, const Target& target) {
  auto* old = const_cast<Target*>(list.load(std::memory_order_acquire));
  while (old != nullptr && !old->is_free_for(target)) old = const_cast<Target*>(old->next);
  return old;
}

void reuse(Target& old, const Target& target) {
  old.bound_to = target.bound_to;
  old.from_runtime = target.from_runtime;
  old.to_runtime = target.to_runtime;
  old.bank = target.bank;
  __atomic_store_n(&old.function, target.function, __ATOMIC_RELEASE);
  __atomic_store_n(&old.size, target.size, __ATOMIC_RELEASE);
}

}  // namespace

bool Target::depends_on(const Gone& gone) const {
  if (function == nullptr) return false;
  return bank != 0 || gone(function) || (begin != 0 && gone(begin)) ||
         (bound_to != nullptr && gone(bound_to->object.begin));
}

void remember(Targets& list, const Target& target) {
  if (Target* old = reusable(list, target)) {
    reuse(*old, target);
    return;
  }
  if (g_pool_used.load(std::memory_order_relaxed) >= kMaxTargets) return;
  const unsigned place = g_pool_used.fetch_add(1, std::memory_order_relaxed);
  if (place >= kMaxTargets) return;
  Target& kept = g_pool[place];
  kept = target;
  kept.full_size = target.size;
  kept.next = list.load(std::memory_order_relaxed);
  while (!list.compare_exchange_weak(kept.next, &kept, std::memory_order_release,
                                     std::memory_order_relaxed)) {
  }
}

void remember_in_bank(Targets& list, const Target& target) {
  unsigned count = 0;
  for_each_target(list, [&](const Target& known) { count += known.bank != 0 ? 1 : 0; });
  if (count == kMostInBanks) return;
  remember(list, target);
  g_knows_ranges.store(true, std::memory_order_relaxed);
}

bool knows_ranges_in_banks() { return g_knows_ranges.exchange(false, std::memory_order_relaxed); }

const Target* known(const Targets& list, const void* caller) {
  const Target* target = list.load(std::memory_order_acquire);
  while (target != nullptr && !target->serves(caller)) target = target->next;
  return target;
}

}  // namespace muster
