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

unsigned g_objects_at_start = 0;  // the first so many of the loader's list
std::atomic<bool> g_is_ending{false};
void (*g_at_end)() = [] {};
std::atomic<std::uint64_t> g_seen_gone{0};  // objects unloaded so far, all of them forgotten

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

// All that are not in the loader's list.
class NotLoaded {
 public:
  NotLoaded() {
    unsigned count = 0;
    dl_iterate_phdr(
        [](dl_phdr_info*, std::size_t, void* data) {
          ++*static_cast<unsigned*>(data);
          return 0;
        },
        &count);
    capacity_ = count + 64;  // a few more may be loaded by now
    places_ = static_cast<Place*>(map_pages(bytes()));
    if (places_ == nullptr) return;
    dl_iterate_phdr([](dl_phdr_info* info, std::size_t,
                       void* data) { return static_cast<NotLoaded*>(data)->add(*info); },
                    this);
    std::sort(places_, places_ + count_,
              [](const Place& left, const Place& right) { return left.begin < right.begin; });
  }
  ~NotLoaded() { unmap_pages(places_, bytes()); }
  NotLoaded(const NotLoaded&) = delete;
  NotLoaded& operator=(const NotLoaded&) = delete;

  bool complete() const { return places_ != nullptr && !cut_short_; }

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

  // 1: no more, there is no room.
  int add(const dl_phdr_info& info) {
    Place place{~std::uintptr_t{0}, 0};
    for (int i = 0; i < info.dlpi_phnum; ++i) {
      if (info.dlpi_phdr[i].p_type != PT_LOAD) continue;
      const std::uintptr_t begin = info.dlpi_addr + info.dlpi_phdr[i].p_vaddr;
      place.begin = std::min(place.begin, begin);
      place.end = std::max<std::uintptr_t>(place.end, begin + info.dlpi_phdr[i].p_memsz);
    }
    cut_short_ = count_ == capacity_;
    if (cut_short_) return 1;
    places_[count_++] = place;
    return 0;
  }

  Place* places_ = nullptr;
  unsigned count_ = 0;
  unsigned capacity_ = 0;
  bool cut_short_ = false;
};

struct Counts {
  std::uint64_t loaded = 0;
  std::uint64_t gone = 0;
};

Counts objects_so_far() {
  Counts counts;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        *static_cast<Counts*>(data) = {info->dlpi_adds, info->dlpi_subs};
        return 1;
      },
      &counts);
  return counts;
}

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
  const std::uint64_t gone = objects_so_far().gone;
  if (g_seen_gone.load(std::memory_order_relaxed) == gone) return;
  const NotLoaded not_loaded;
  if (!not_loaded.complete()) return;  // another time
  forget(not_loaded);
  g_seen_gone.store(gone, std::memory_order_relaxed);
}

bool process_is_ending() { return g_is_ending.load(std::memory_order_relaxed); }

// What is registered after main has begun runs before the objects' destructors do.
void watch_end_of_process() {
  static std::atomic<bool> watched{false};
  if (watched.exchange(true)) return;
  std::atexit([] {
    note_end_of_process();
    g_at_end();
  });
}

void when_process_ends(void (*function)()) { g_at_end = function; }

void note_end_of_process() { g_is_ending.store(true, std::memory_order_relaxed); }

void note_objects_at_start() {
  const Counts counts = objects_so_far();
  if (counts.gone == 0) g_objects_at_start = static_cast<unsigned>(counts.loaded);
}

unsigned objects_at_start() { return g_objects_at_start; }

bool stays_for_ever(const LoadedObject& object) {
  const auto* entry = static_cast<const ElfW(Dyn)*>(object.dynamic);
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_FLAGS_1 && (entry->d_un.d_val & DF_1_NODELETE) != 0) return true;
  }
  struct Search {
    std::uintptr_t base;
    unsigned left;
    bool found;
  } search{object.base, g_objects_at_start, false};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        if (wanted.left-- == 0) return 1;
        wanted.found = info->dlpi_addr == wanted.base;
        return wanted.found ? 1 : 0;
      },
      &search);
  return search.found;
}

}  // namespace muster
