#include "preload/thunks/thunk_banks.h"

#include <atomic>
#include <cerrno>
#include <new>

#include "platform/lock.h"
#include "platform/pages.h"
#include "preload/thunks/bank_tables.h"
#include "preload/thunks/thunks.h"
#include "preload/thunks/word_scan.h"
#include "runtime-hooks/folding/call_effects.h"
#include "runtime-hooks/objects/dynamic_symbols.h"
#include "runtime-hooks/objects/loaded_objects.h"
#include "runtime-hooks/objects/relocated_words.h"
#include "runtime-hooks/runtimes/runtime.h"
#include "runtime-hooks/runtimes/thunk_banks.h"

namespace muster {

// The banks' machine code: thunks of equal size, bank by bank.
extern "C" __attribute__((visibility("hidden"))) const char muster_bank_thunks[];
extern "C" __attribute__((visibility("hidden"))) const char muster_bank_thunks_end[];

namespace {

Lock g_lock;
std::atomic<std::uint64_t> g_loads_seen{0};  // all objects of so many loads were looked at
thread_local constinit bool t_is_binding __attribute__((tls_model("initial-exec"))) = false;
// What the thread has asked dlopen for last: where several threads open objects at once, it calls its own.
thread_local constinit std::uint64_t t_opened __attribute__((tls_model("initial-exec"))) = 0;

std::atomic<bool> g_looks_past_muster{false};
std::atomic<bool> g_folds_no_more{false};

std::uintptr_t bank_size() {
  return static_cast<std::uintptr_t>(muster_bank_thunks_end - muster_bank_thunks) / kThunkBanks;
}

constinit CallsByPointer g_by_pointer;

// Null without memory: calls then go by their return addresses.
class Pages {
 public:
  explicit Pages(std::uint64_t since) : scan_(static_cast<Scan*>(map_pages(sizeof(Scan)))) {
    if (scan_ != nullptr)
      ::new (scan_) Scan(since, g_looks_past_muster.load(std::memory_order_acquire));
  }
  ~Pages() { unmap_pages(scan_, sizeof(Scan)); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  Scan* get() const { return scan_; }

 private:
  Scan* scan_;
};

// Sets the words that `find` finds. Returns the bank of the call, if it was one by these words.
template <class Find>
unsigned bind_words(std::uint64_t since, Find&& find, unsigned thunk, const void* return_address) {
  if (t_is_binding) return 0;
  const Pages pages(since);
  Scan* scan = pages.get();
  if (scan == nullptr) return 0;
  t_is_binding = true;
  find(*scan);
  if (!scan->is_empty()) {
    scan->choose();
    scan->set();
  }
  t_is_binding = false;
  return scan->bank_for(thunk, return_address, t_opened);
}

unsigned bind_new_objects(unsigned thunk, const void* return_address) {
  // Before the loader's lock, which another thread may hold while it sets the word that led here.
  const std::uint64_t since = g_objects_done.now();
  const std::uint64_t seen = g_loads_seen.load(std::memory_order_acquire);
  const std::uint64_t loads = object_counts().loaded;
  if (seen == loads && g_objects_done.now() == since) return 0;
  bool is_complete = true;
  unsigned bank = 0;
  if (is_defined("omp_get_wtick")) {
    look_for_unloaded();
    is_complete = false;
    const auto find = [&](Scan& scan) { is_complete = scan.find_new(); };
    bank = bind_words(since, find, thunk, return_address);
  }
  if (is_complete) g_loads_seen.store(loads, std::memory_order_release);
  return bank;
}

}  // namespace

unsigned bank_with(std::uintptr_t thunk) {
  const auto begin = reinterpret_cast<std::uintptr_t>(muster_bank_thunks);
  const std::uintptr_t bank = (thunk - begin) / bank_size();
  return bank < kThunkBanks ? static_cast<unsigned>(bank) + 1 : 0;
}

unsigned bank_of_runtime(const LoadedObject& runtime, bool may_give) {
  const Locked locked(g_lock);
  unsigned free = 0;
  for (unsigned bank = kThunkBanks; bank != 0; --bank) {
    const LoadedObject its = runtime_of_bank(bank);
    if (its.begin == runtime.begin && its.end == runtime.end) return bank;
    if (!its.found()) free = bank;
  }
  if (free == 0 || !may_give) return 0;
  give_bank(free, runtime);
  return free;
}

unsigned bank_of_definition(void* function, const char* name) {
  const LoadedObject object = object_of(function);
  if (!object.found() || !is_whole_runtime(object) || defined_by(object, name) != function)
    return 0;
  return bank_of_runtime(object, /*may_give=*/true);
}

std::uintptr_t bank_thunk(unsigned bank, unsigned thunk) {
  return reinterpret_cast<std::uintptr_t>(muster_bank_thunks) + (bank - 1) * bank_size() +
         thunk * (bank_size() / thunk_count());
}

RangeInBank bank_for_call(unsigned thunk, const void* return_address) {
  if (const unsigned known = g_by_pointer.find(thunk, return_address)) return {known};
  const unsigned first = bind_new_objects(thunk, return_address);
  if (first != 0 && first != kAmbiguousBank) return {first};
  if (in_muster(return_address) || runtime_with(return_address) != nullptr) return {};
  g_calls_looked_up.fetch_add(1, std::memory_order_relaxed);
  const char* name = thunk_name(thunk);
  const LoadedObject object = object_of(return_address);
  if (object.found()) {
    const DynamicSymbols symbols = dynamic_symbols_of(object);
    if (is_muster(object) || definition_of(symbols, name, nullptr) != nullptr) return {};
    // By a word of its own, which has no bank, or which the loader has bound just after it was set.
    if (reference_to(symbols, name).found)
      return {bind_words(
          g_objects_done.now(), [&](Scan& scan) { scan.find(object); }, thunk, return_address)};
  }
  void* function = address_without_muster(object, name, nullptr);
  const unsigned bank = function != nullptr ? bank_of_definition(function, name) : 0;
  if (bank == 0 || first == kAmbiguousBank) return {bank};
  g_by_pointer.add(thunk, return_address, bank);
  if (object.found()) return {bank, object.begin, object.end - object.begin};
  return {bank, CallsByPointer::page_of(return_address), CallsByPointer::kPage};
}

void bind_loaded_objects(const char* next) {
  const int saved = errno;
  t_opened = next != nullptr ? hash_of_file(next) : 0;
  g_by_pointer.clear();
  forget_banks_of_ranges();
  bind_new_objects(thunk_count(), nullptr);
  errno = saved;
}

void look_past_muster() { g_looks_past_muster.store(true, std::memory_order_release); }

void fold_no_more(const char* name) {
  g_folds_no_more.store(true, std::memory_order_release);
  apply_effect(name, Effect::kSets, nullptr);
}

bool are_objects_bound() {
  if (!g_looks_past_muster.load(std::memory_order_acquire)) [[likely]]
    return !g_folds_no_more.load(std::memory_order_acquire);
  const int saved = errno;
  bind_new_objects(thunk_count(), nullptr);
  errno = saved;
  const bool all = g_loads_seen.load(std::memory_order_acquire) == object_counts().loaded;
  return all && !g_folds_no_more.load(std::memory_order_acquire);
}

void forget_bound_objects(const Gone& gone) {
  g_objects_done.remove_if(gone);
  g_by_pointer.clear();
}

void bound_objects_after_fork() {
  g_lock.unlock();
  g_objects_done.after_fork();
  words_after_fork();
}

}  // namespace muster
