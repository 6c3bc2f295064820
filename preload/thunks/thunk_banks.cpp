#include "preload/thunks/thunk_banks.h"

#include <atomic>
#include <cerrno>
#include <new>

#include "platform/lock.h"
#include "platform/pages.h"
#include "preload/thunks/bank_tables.h"
#include "preload/thunks/thunks.h"
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

constexpr unsigned kAmbiguous = kThunkBanks + 1;

// Of the file's name without its folder.
std::uint64_t hash_of(const char* path) {
  std::uint64_t hash = 0;
  for (; *path != '\0'; ++path)
    hash = *path == '/' ? 0 : (hash ^ static_cast<unsigned char>(*path)) * 0x9e37'79b9'7f4a'7c15U;
  return hash;
}

std::uintptr_t bank_size() {
  return static_cast<std::uintptr_t>(muster_bank_thunks_end - muster_bank_thunks) / kThunkBanks;
}

// 0: it is no bank's.
unsigned bank_with(std::uintptr_t thunk) {
  const auto begin = reinterpret_cast<std::uintptr_t>(muster_bank_thunks);
  const std::uintptr_t bank = (thunk - begin) / bank_size();
  return bank < kThunkBanks ? static_cast<unsigned>(bank) + 1 : 0;
}

constinit ObjectSet g_done;

constinit CallsByPointer g_by_pointer;

struct Word {
  std::uintptr_t* word;
  std::uintptr_t value;
  const char* version;  // of the reference; null: any
  unsigned object;
  unsigned thunk;
  std::uintptr_t own;  // the definition, if the object itself has it: a runtime
  bool read_only;
  bool is_lazy;   // not bound so far
  unsigned bank;  // if not 0 at first, another thread has set the word meanwhile
};

// The bank of a runtime: the one that it has, or if `may_give` a free one; else 0.
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

// The words of all objects that were not looked at before.
class Scan {
 public:
  explicit Scan(std::uint64_t since) : since_(since) {}

  // In objects that were not looked at before that time. False: some are being loaded, or there was no room.
  bool find_new() {
    for_each_object([this](const LoadedObject& object, const dl_phdr_info& info) {
      if (!was_done(object)) look_at(object, info);
      return false;
    });
    return is_complete_;
  }
  void find(const LoadedObject& only) {
    for_each_object([&](const LoadedObject& object, const dl_phdr_info& info) {
      if (object.begin != only.begin) return false;
      look_at(object, info);
      return true;
    });
  }

  // Asks for the loader's load lock only where several definitions were opened later, as all look-ups do.
  void choose() {
    for (unsigned i = 0; i < word_count_; ++i) {
      Word& word = words_[i];
      if (word.own != 0 || word.bank != 0) continue;
      const Word* before = i != 0 ? &words_[i - 1] : nullptr;
      if (before != nullptr && before->object == word.object && before->thunk == word.thunk) {
        word.bank = before->bank;
        continue;
      }
      const char* name = thunk_name(word.thunk);
      if (word.is_lazy && is_defined_before_muster(name)) continue;  // it will not lead to Muster
      void* function = address_without_muster(objects_[word.object], name, word.version);
      if (function == nullptr) is_unbound_[word.object] = true;
      word.bank = function != nullptr ? bank_of_definition(function, name) : 0;
    }
    for (unsigned i = 0; i < word_count_; ++i) {
      Word& word = words_[i];
      if (word.own == 0 || (word.is_lazy && is_defined_before_muster(thunk_name(word.thunk))))
        continue;
      word.bank = bank_of_runtime(objects_[word.object], /*may_give=*/false);
      if (word.bank == 0) is_unbound_[word.object] = true;
    }
  }

  // With the loader's list locked, so that no object goes meanwhile.
  void set() {
    for_each_object([this](const LoadedObject& object, const dl_phdr_info&) {
      for (unsigned i = 0; i < object_count_; ++i) {
        if (objects_[i].begin == object.begin && objects_[i].end == object.end) set_words(i);
      }
      return false;
    });
  }

  // The bank of the call: of the object that holds the return address, that the thread has opened, or the only one that
  // can have made it. 0: none.
  unsigned bank_for(unsigned thunk, const void* return_address) const {
    unsigned found = 0;
    unsigned of_opened = 0;
    bool is_first = true;
    for (unsigned i = 0; i < word_count_; ++i) {
      const Word& word = words_[i];
      if (word.thunk != thunk || word.is_lazy) continue;
      const LoadedObject& object = objects_[word.object];
      if (object.contains(return_address)) return word.own != 0 ? 0 : word.bank;
      if (word.own != 0) continue;
      if (t_opened != 0 && hash_of(object.path) == t_opened) of_opened = word.bank;
      found = is_first || found == word.bank ? word.bank : kAmbiguous;
      is_first = false;
    }
    return found == kAmbiguous && of_opened != 0 ? of_opened : found;
  }

  bool is_empty() const { return word_count_ == 0; }

 private:
  static constexpr unsigned kMostObjects = 1024;
  static constexpr unsigned kMostWords = 16384;

  bool was_done(const LoadedObject& object) const {
    const Locked locked(g_lock);
    return g_done.has_from_before(object.begin, since_);
  }

  void look_at(const LoadedObject& object, const dl_phdr_info& info) {
    const unsigned first = word_count_;
    switch (look_into(object, info)) {
      case Finding::kWords:
        objects_[object_count_++] = object;
        return;
      case Finding::kNothing: {
        const Locked locked(g_lock);
        g_done.add(object.begin);
        break;
      }
      case Finding::kUnfinished:
        is_complete_ = false;
        break;
    }
    word_count_ = first;
  }

  enum class Finding { kWords, kNothing, kUnfinished };

  Finding look_into(const LoadedObject& object, const dl_phdr_info& info) {
    if (object.dynamic == nullptr || is_muster(object)) return Finding::kNothing;
    const DynamicSymbols symbols = dynamic_symbols_of(object);
    if (!symbols.readable()) return Finding::kNothing;
    const bool is_runtime = definition_of(symbols, "omp_get_wtick", nullptr) != nullptr;
    if (object_count_ == kMostObjects) return Finding::kUnfinished;
    const ReadOnlyPart read_only = read_only_part(info);
    const unsigned first = word_count_;
    bool reaches_muster = false;
    for (unsigned kind = 0; kind < 2; ++kind) {
      if (symbols.references[kind] == nullptr) continue;
      const std::size_t begin = kind == 0 ? symbols.without_symbol : 0;
      for (std::size_t i = begin; i < symbols.reference_counts[kind]; ++i) {
        const ElfW(Rela)& reference = symbols.references[kind][i];
        const std::size_t symbol = ELF64_R_SYM(reference.r_info);
        if (symbol == 0) continue;
        const bool is_own = symbols.table[symbol].st_shndx != SHN_UNDEF;
        if (is_own && !is_runtime) continue;
        auto* word = reinterpret_cast<std::uintptr_t*>(object.base + reference.r_offset);
        const std::uintptr_t value = __atomic_load_n(word, __ATOMIC_ACQUIRE);
        const bool is_bound = in_muster(reinterpret_cast<const void*>(value));
        reaches_muster = reaches_muster || is_bound;
        const bool is_lazy = kind == 1 && object.contains(reinterpret_cast<const void*>(value));
        const bool is_relocated = object.base == 0 || value > object.end - object.begin;
        if (!is_bound && !is_lazy && is_relocated) continue;
        const char* name = symbols.name(symbol);
        const unsigned thunk = thunk_of(name);
        if (thunk == thunk_count()) continue;
        const unsigned bank = bank_with(value);
        const std::uintptr_t initial =
            bank != 0 ? bank_thunk(bank, thunk)
                      : reinterpret_cast<std::uintptr_t>(defined_by(muster_, name));
        if (is_bound && value != initial) continue;  // a variable that the program has set
        if (!is_bound && !is_lazy) {
          // The loader is not there yet. Or it is a weak reference to nothing.
          const bool is_weak = ELF64_ST_BIND(symbols.table[symbol].st_info) == STB_WEAK;
          if (value != 0 || !is_weak) return Finding::kUnfinished;
          continue;
        }
        if (word_count_ == kMostWords) return Finding::kUnfinished;
        words_[word_count_++] = {word,
                                 value,
                                 version_of(symbols, symbol),
                                 object_count_,
                                 thunk,
                                 is_own ? object.base + symbols.table[symbol].st_value : 0,
                                 read_only.contains(word),
                                 is_lazy,
                                 bank};
      }
    }
    // One in whose scope something comes before Muster (RTLD_DEEPBIND) is left alone.
    if (word_count_ == first || !reaches_muster) return Finding::kNothing;
    return read_only.is_protected() ? Finding::kWords : Finding::kUnfinished;
  }

  void set_words(unsigned object) {
    for (unsigned i = 0; i < word_count_; ++i) {
      Word& word = words_[i];
      if (word.object != object || word.bank == 0) continue;
      const std::uintptr_t function = word.own != 0 ? word.own : bank_thunk(word.bank, word.thunk);
      if (word.value == function) continue;
      std::uintptr_t value = word.value;
      if (word.read_only) {
        if (__atomic_load_n(word.word, __ATOMIC_ACQUIRE) != value) continue;
        if (!set_word(word.word, /*read_only=*/true, function)) word.bank = 0;
      } else if (is_writable(word.word)) {  // the program may be setting a variable
        __atomic_compare_exchange_n(word.word, &value, function, false, __ATOMIC_RELEASE,
                                    __ATOMIC_RELAXED);
      } else {
        word.bank = 0;
      }
    }
    if (is_unbound_[object]) return;
    const Locked locked(g_lock);
    g_done.add(objects_[object].begin);
  }

  const std::uint64_t since_;
  const LoadedObject muster_ = object_of(muster_bank_thunks);
  unsigned object_count_ = 0;
  unsigned word_count_ = 0;
  bool is_complete_ = true;
  bool is_unbound_[kMostObjects] = {};  // refers to what nothing defines so far
  LoadedObject objects_[kMostObjects];
  Word words_[kMostWords];
};

// Null without memory: calls then go by their return addresses.
class Pages {
 public:
  explicit Pages(std::uint64_t since) : scan_(static_cast<Scan*>(map_pages(sizeof(Scan)))) {
    if (scan_ != nullptr) ::new (scan_) Scan(since);
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
  return scan->bank_for(thunk, return_address);
}

unsigned bind_new_objects(unsigned thunk, const void* return_address) {
  // Before the loader's lock, which another thread may hold while it sets the word that led here.
  const std::uint64_t since = g_done.now();
  const std::uint64_t seen = g_loads_seen.load(std::memory_order_acquire);
  const std::uint64_t loads = object_counts().loaded;
  if (seen == loads && g_done.now() == since) return 0;
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

std::uintptr_t bank_thunk(unsigned bank, unsigned thunk) {
  return reinterpret_cast<std::uintptr_t>(muster_bank_thunks) + (bank - 1) * bank_size() +
         thunk * (bank_size() / thunk_count());
}

RangeInBank bank_for_call(unsigned thunk, const void* return_address) {
  if (const unsigned known = g_by_pointer.find(thunk, return_address)) return {known};
  const unsigned first = bind_new_objects(thunk, return_address);
  if (first != 0 && first != kAmbiguous) return {first};
  if (in_muster(return_address) || runtime_with(return_address) != nullptr) return {};
  g_calls_looked_up.fetch_add(1, std::memory_order_relaxed);
  const char* name = thunk_name(thunk);
  const LoadedObject object = object_of(return_address);
  if (object.found()) {
    const DynamicSymbols symbols = dynamic_symbols_of(object);
    if (is_muster(object) || definition_of(symbols, name, nullptr) != nullptr) return {};
    // By a word of its own, which has no bank, or which the loader has bound just after it was set.
    if (reference_to(symbols, name).found)
      return {
          bind_words(g_done.now(), [&](Scan& scan) { scan.find(object); }, thunk, return_address)};
  }
  void* function = address_without_muster(object, name, nullptr);
  const unsigned bank = function != nullptr ? bank_of_definition(function, name) : 0;
  if (bank == 0 || first == kAmbiguous) return {bank};
  g_by_pointer.add(thunk, return_address, bank);
  if (object.found()) return {bank, object.begin, object.end - object.begin};
  return {bank, CallsByPointer::page_of(return_address), CallsByPointer::kPage};
}

void bind_loaded_objects(const char* next) {
  const int saved = errno;
  t_opened = next != nullptr ? hash_of(next) : 0;
  g_by_pointer.clear();
  forget_banks_of_ranges();
  bind_new_objects(thunk_count(), nullptr);
  errno = saved;
}

void forget_bound_objects(const Gone& gone) {
  const Locked locked(g_lock);
  g_done.remove_if(gone);
  g_by_pointer.clear();
}

void bound_objects_after_fork() {
  g_lock.unlock();
  words_after_fork();
}

}  // namespace muster
