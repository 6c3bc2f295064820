// A cache of facts about the objects of this process, by address range: the runtime that an object is bound to, or
// whether it is one. Lookups take no lock. An entry is written once, then published by the count; after that only its
// value changes: to zero when the object, or what the value refers to, is unloaded, and back when an object is loaded
// at exactly the same addresses. Unused entries cost no memory: their pages are never written.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace muster {

// An Entry has `begin` and `end`; serves_as(entry), whether two entries of one object are for the same purpose; and
// value(), a word that is zero after an unload.
template <class Entry, unsigned kMost>
class AddressCache {
 public:
  // The entry of the object that holds `address`, if matches(entry); else null.
  template <class Matches>
  const Entry* find(const void* address, Matches&& matches) const {
    const auto place = reinterpret_cast<std::uintptr_t>(address);
    const unsigned count = count_.load(std::memory_order_acquire);
    for (unsigned i = 0; i < count; ++i) {
      const Entry& entry = entries_[i];
      if (place - entry.begin < entry.end - entry.begin && matches(entry) && is_valid(entry))
          [[likely]]
        return &entry;
    }
    return nullptr;
  }

  // Does nothing if the cache is full or another thread is adding an entry. The object is then looked up again at its
  // next call.
  void add(const Entry& entry) {
    if (is_adding_.exchange(true, std::memory_order_acquire)) return;
    add_alone(entry);
    is_adding_.store(false, std::memory_order_release);
  }

  // Invalidates the entries for which is_gone(entry).
  template <class IsGone>
  void forget(IsGone&& is_gone) {
    const unsigned count = count_.load(std::memory_order_acquire);
    for (unsigned i = 0; i < count; ++i) {
      Entry& entry = entries_[i];
      if (is_valid(entry) && is_gone(entry)) set(entry, {});
    }
  }

  bool is_full() const { return count_.load(std::memory_order_relaxed) == kMost; }

  // In the child of a fork: the thread that was adding an entry does not exist here.
  void after_fork_in_child() { is_adding_.store(false, std::memory_order_relaxed); }

 private:
  using Value = std::remove_cvref_t<decltype(std::declval<Entry&>().value())>;

  static void set(Entry& entry, Value value) {
    __atomic_store_n(&entry.value(), value, __ATOMIC_RELEASE);
  }
  static bool is_valid(const Entry& entry) {
    return __atomic_load_n(&entry.value(), __ATOMIC_ACQUIRE) != Value{};
  }

  void add_alone(const Entry& entry) {
    const unsigned count = count_.load(std::memory_order_relaxed);
    for (unsigned i = 0; i < count; ++i) {
      Entry& old = entries_[i];
      if (old.begin != entry.begin || old.end != entry.end || !old.serves_as(entry)) continue;
      if (!is_valid(old)) set(old, entry.value());
      return;
    }
    if (count == kMost) return;
    entries_[count] = entry;
    count_.store(count + 1, std::memory_order_release);
  }

  Entry entries_[kMost];
  std::atomic<unsigned> count_{0};
  std::atomic<bool> is_adding_{false};
};

}  // namespace muster
