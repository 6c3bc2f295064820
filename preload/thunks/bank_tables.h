// What thunk_banks.cpp knows: which objects need not be looked at again, and the banks of calls by pointers.
#pragma once

#include <atomic>
#include <cstdint>

#include "platform/lock.h"
#include "runtime-hooks/objects/unloading.h"
#include "runtime-hooks/runtimes/thunk_banks.h"

namespace muster {

// Objects that were looked at, by their addresses, and when: a thread may be calling by a word that another one has set
// meanwhile.
class ObjectSet {
 public:
  std::uint64_t now() const { return now_.load(std::memory_order_acquire); }
  bool has_from_before(std::uintptr_t begin, std::uint64_t time) const {
    const Locked locked(lock_);
    const unsigned place = place_of(begin);
    return place != kMost && places_[place].time <= time;
  }
  void add(std::uintptr_t begin) {
    const Locked locked(lock_);
    unsigned place = place_of(begin);
    for (unsigned i = first(begin), left = kMost; place == kMost && left != 0; --left) {
      if (places_[i].begin <= kRemoved) place = i;
      i = (i + 1) % kMost;
    }
    if (place != kMost) places_[place] = {begin, now_.fetch_add(1, std::memory_order_acq_rel) + 1};
  }
  void remove_if(const Gone& gone) {
    const Locked locked(lock_);
    for (Place& place : places_) {
      if (place.begin > kRemoved && gone(place.begin)) place.begin = kRemoved;
    }
  }
  void after_fork() { lock_.unlock(); }

 private:
  struct Place {
    std::uintptr_t begin;
    std::uint64_t time;
  };
  static constexpr unsigned kMost = 4096;
  static constexpr std::uintptr_t kRemoved = 1;
  static unsigned first(std::uintptr_t begin) {
    return static_cast<unsigned>((begin * 0x9e37'79b9'7f4a'7c15U) >> 52);
  }
  // kMost: it is not there.
  unsigned place_of(std::uintptr_t begin) const {
    for (unsigned i = first(begin), left = kMost; left != 0; i = (i + 1) % kMost, --left) {
      if (places_[i].begin == begin) return i;
      if (places_[i].begin == 0) return kMost;
    }
    return kMost;
  }
  mutable Lock lock_;
  Place places_[kMost] = {};
  std::atomic<std::uint64_t> now_{0};
};

// The banks of calls from objects that do not refer to the name, and from code in no object: by page of the return
// address, and thunk. Each is one word, so that readers take no lock; a call that finds another one's is looked up again.
class CallsByPointer {
 public:
  static constexpr std::uintptr_t kPage = 4096;
  static std::uintptr_t page_of(const void* return_address) {
    return reinterpret_cast<std::uintptr_t>(return_address) & ~(kPage - 1);
  }
  unsigned find(unsigned thunk, const void* return_address) const {
    const std::uint64_t key = key_of(thunk, return_address);
    const std::uint64_t entry = entries_[place_of(key)].load(std::memory_order_relaxed);
    return (entry & ~kBankBits) == key ? static_cast<unsigned>(entry & kBankBits) : 0;
  }
  void add(unsigned thunk, const void* return_address, unsigned bank) {
    const std::uint64_t key = key_of(thunk, return_address);
    entries_[place_of(key)].store(key | bank, std::memory_order_relaxed);
  }
  void clear() {
    for (auto& entry : entries_) entry.store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr unsigned kEntries = 256;
  static constexpr std::uint64_t kBankBits = 15;
  static_assert(kThunkBanks <= kBankBits);
  static std::uint64_t key_of(unsigned thunk, const void* return_address) {
    return page_of(return_address) << 4 | std::uint64_t{thunk} << 4;
  }
  static unsigned place_of(std::uint64_t key) {
    return static_cast<unsigned>((key * 0x9e37'79b9'7f4a'7c15U) >> 56);
  }
  std::atomic<std::uint64_t> entries_[kEntries] = {};
};

}  // namespace muster
