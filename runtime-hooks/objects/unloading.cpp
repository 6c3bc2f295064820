#include "runtime-hooks/objects/unloading.h"

#include <link.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>

#include "platform/pages.h"
#include "runtime-hooks/objects/loaded_objects.h"

namespace muster {
namespace {

constexpr unsigned kMaxForgetters = 8;
Forget g_forgetters[kMaxForgetters];
unsigned g_forgetter_count = 0;

unsigned g_objects_at_start = 0;  // the first ones in the loader's list
std::atomic<bool> g_is_ending{false};
void (*g_at_end)() = [] {};
std::atomic<std::uint64_t> g_seen_gone{0};  // unloads for which caches were invalidated

template <class Objects>
void forget(const Objects& objects) {
  const Gone gone(objects);
  for (unsigned i = 0; i < g_forgetter_count; ++i) g_forgetters[i](gone);
}

class OneGoes {
 public:
  explicit OneGoes(const LoadedObject& object) : begin_(object.begin), end_(object.end) {}
  bool has_gone(std::uintptr_t address) const { return address - begin_ < end_ - begin_; }

 private:
  const std::uintptr_t begin_;
  const std::uintptr_t end_;
};

// All objects that are not in the loader's list.
class NotLoaded {
 public:
  explicit NotLoaded(const ObjectCounts& counts)
      : capacity_(counts.loaded - counts.unloaded + 64) {  // some may be loaded meanwhile
    places_ = static_cast<Place*>(map_pages(bytes()));
    if (places_ == nullptr) return;
    for_each_object(
        [this](const LoadedObject& object, const dl_phdr_info&) { return !add(object); });
    std::sort(places_, places_ + count_,
              [](const Place& left, const Place& right) { return left.begin < right.begin; });
  }
  ~NotLoaded() { unmap_pages(places_, bytes()); }
  NotLoaded(const NotLoaded&) = delete;
  NotLoaded& operator=(const NotLoaded&) = delete;

  bool complete() const { return places_ != nullptr && !is_cut_short_; }

  bool has_gone(std::uintptr_t address) const {
    const Place* after =
        std::upper_bound(places_, places_ + count_, address,
                         [](std::uintptr_t wanted, const Place& it) { return wanted < it.begin; });
    return after == places_ || address >= (after - 1)->end;
  }

 private:
  struct Place {
    std::uintptr_t begin;
    std::uintptr_t end;
  };

  std::size_t bytes() const { return capacity_ * sizeof(Place); }

  bool add(const LoadedObject& object) {
    is_cut_short_ = count_ == capacity_;
    if (!is_cut_short_) places_[count_++] = {object.begin, object.end};
    return !is_cut_short_;
  }

  const std::size_t capacity_;
  Place* places_ = nullptr;
  std::size_t count_ = 0;
  bool is_cut_short_ = false;
};

}  // namespace

void when_unloaded(Forget forgetter) {
  if (g_forgetter_count < kMaxForgetters) g_forgetters[g_forgetter_count++] = forgetter;
}

void object_goes(const void* address) {
  const LoadedObject object = object_of(address);
  if (!object.found() || stays_for_ever(object)) return;
  forget(OneGoes(object));
  g_seen_gone.fetch_add(1, std::memory_order_relaxed);
}

void look_for_unloaded() {
  const ObjectCounts counts = object_counts();
  if (g_seen_gone.load(std::memory_order_relaxed) == counts.unloaded) return;
  const NotLoaded not_loaded(counts);
  if (!not_loaded.complete()) return;  // at the next call
  forget(not_loaded);
  g_seen_gone.store(counts.unloaded, std::memory_order_relaxed);
}

bool process_is_ending() { return g_is_ending.load(std::memory_order_relaxed); }

// Handlers that are registered after main has begun run before the objects' destructors.
void register_exit_handler() {
  static std::atomic<bool> registered{false};
  if (registered.exchange(true)) return;
  std::atexit([] {
    note_end_of_process();
    g_at_end();
  });
}

void when_process_ends(void (*function)()) { g_at_end = function; }

void note_end_of_process() { g_is_ending.store(true, std::memory_order_relaxed); }

void note_objects_at_start() {
  const ObjectCounts counts = object_counts();
  if (counts.unloaded == 0) g_objects_at_start = static_cast<unsigned>(counts.loaded);
}

unsigned objects_at_start() { return g_objects_at_start; }

bool stays_for_ever(const LoadedObject& object) {
  const auto* entry = static_cast<const ElfW(Dyn)*>(object.dynamic);
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_FLAGS_1 && (entry->d_un.d_val & DF_1_NODELETE) != 0) return true;
  }
  unsigned left = g_objects_at_start;
  bool found = false;
  for_each_object([&](const LoadedObject& candidate, const dl_phdr_info&) {
    if (left-- == 0) return true;
    found = candidate.base == object.base;
    return found;
  });
  return found;
}

}  // namespace muster
