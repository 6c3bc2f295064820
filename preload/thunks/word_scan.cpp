#include "preload/thunks/word_scan.h"

#include "preload/thunks/thunk_banks.h"
#include "preload/thunks/thunks.h"
#include "runtime-hooks/objects/dynamic_symbols.h"
#include "runtime-hooks/objects/relocated_words.h"

namespace muster {

constinit ObjectSet g_objects_done;

std::uint64_t hash_of_file(const char* path) {
  std::uint64_t hash = 0;
  for (; *path != '\0'; ++path)
    hash = *path == '/' ? 0 : (hash ^ static_cast<unsigned char>(*path)) * 0x9e37'79b9'7f4a'7c15U;
  return hash;
}

void Scan::choose() {
  for (unsigned i = 0; i < word_count_; ++i) {
    Word& word = words_[i];
    if (word.own != 0 || word.bank != 0) continue;
    const Word* before = i != 0 ? &words_[i - 1] : nullptr;
    if (before != nullptr && before->object == word.object && before->thunk == word.thunk) {
      word.bank = before->bank;
      continue;
    }
    const char* name = thunk_name(word.thunk);
    if ((word.is_lazy || word.is_past) && is_defined_before_muster(name)) continue;
    void* function = definition_for(word, name);
    if (function == nullptr) is_unbound_[word.object] = true;
    word.bank = function != nullptr ? bank_of_definition(function, name) : 0;
    if (word.is_past && word.bank == 0 && is_whole_runtime(object_of(function))) fold_no_more(name);
  }
  for (unsigned i = 0; i < word_count_; ++i) {
    Word& word = words_[i];
    if (word.own == 0 || (word.is_lazy && is_defined_before_muster(thunk_name(word.thunk))))
      continue;
    word.bank = bank_of_runtime(objects_[word.object], /*may_give=*/false);
    if (word.bank == 0) is_unbound_[word.object] = true;
  }
}

void Scan::set() {
  for_each_object([this](const LoadedObject& object, const dl_phdr_info&) {
    for (unsigned i = 0; i < object_count_; ++i) {
      if (objects_[i].begin == object.begin && objects_[i].end == object.end) set_words(i);
    }
    return false;
  });
  // Not before: it may close a fold, whose threads may need that lock.
  if (not_set_ != nullptr) fold_no_more(not_set_);
}

unsigned Scan::bank_for(unsigned thunk, const void* return_address, std::uint64_t opened) const {
  unsigned found = 0;
  unsigned of_opened = 0;
  bool is_first = true;
  for (unsigned i = 0; i < word_count_; ++i) {
    const Word& word = words_[i];
    if (word.thunk != thunk || word.is_lazy || word.is_past) continue;
    const LoadedObject& object = objects_[word.object];
    if (object.contains(return_address)) return word.own != 0 ? 0 : word.bank;
    if (word.own != 0) continue;
    if (opened != 0 && hash_of_file(object.path) == opened) of_opened = word.bank;
    found = is_first || found == word.bank ? word.bank : kAmbiguousBank;
    is_first = false;
  }
  return found == kAmbiguousBank && of_opened != 0 ? of_opened : found;
}

void* Scan::definition_for(const Word& word, const char* name) const {
  const LoadedObject& object = objects_[word.object];
  if (!word.is_past) return address_without_muster(object, name, word.version);
  return word.is_lazy ? address_past_muster(object, name, word.version)
                      : reinterpret_cast<void*>(word.value);
}

bool Scan::was_done(const LoadedObject& object) const {
  return g_objects_done.has_from_before(object.begin, since_);
}

void Scan::look_at(const LoadedObject& object, const dl_phdr_info& info) {
  const unsigned first = word_count_;
  switch (look_into(object, info)) {
    case Finding::kWords:
      objects_[object_count_++] = object;
      return;
    case Finding::kNothing: {
      g_objects_done.add(object.begin);
      break;
    }
    case Finding::kUnfinished:
      is_complete_ = false;
      break;
  }
  word_count_ = first;
}

Scan::Finding Scan::look_into(const LoadedObject& object, const dl_phdr_info& info) {
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
      const bool is_past = looks_past_muster_ && !is_own && !is_bound && !is_lazy && is_relocated &&
                           !object.contains(reinterpret_cast<const void*>(value));
      if (!is_bound && !is_lazy && !is_past && is_relocated) continue;
      const char* name = symbols.name(symbol);
      const unsigned thunk = thunk_of(name);
      if (thunk == thunk_count()) continue;
      const unsigned bank = bank_with(value);
      const std::uintptr_t initial =
          bank != 0 ? bank_thunk(bank, thunk)
                    : reinterpret_cast<std::uintptr_t>(defined_by(muster_, name));
      if (is_bound && value != initial) continue;  // a variable that the program has set
      if (!is_bound && !is_lazy && !is_past) {
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
                               is_past,
                               bank};
    }
  }
  // One in whose scope something comes before Muster is left alone, unless that is so by RTLD_DEEPBIND.
  if (word_count_ == first || (!reaches_muster && !looks_past_muster_)) return Finding::kNothing;
  for (unsigned i = first; i < word_count_ && !reaches_muster; ++i)
    words_[i].is_past = words_[i].own == 0;
  return read_only.is_protected() ? Finding::kWords : Finding::kUnfinished;
}

void Scan::set_words(unsigned object) {
  for (unsigned i = 0; i < word_count_; ++i) {
    Word& word = words_[i];
    if (word.object != object || word.bank == 0) continue;
    const std::uintptr_t function = word.own != 0 ? word.own : bank_thunk(word.bank, word.thunk);
    if (word.value == function) continue;
    std::uintptr_t value = word.value;
    if (word.read_only) {
      if (__atomic_load_n(word.word, __ATOMIC_ACQUIRE) != value) continue;
      if (!set_word(word.word, /*read_only=*/true, function)) cannot_set(word);
    } else if (is_writable(word.word)) {  // the program may be setting a variable
      __atomic_compare_exchange_n(word.word, &value, function, false, __ATOMIC_RELEASE,
                                  __ATOMIC_RELAXED);
    } else {
      cannot_set(word);
    }
  }
  if (is_unbound_[object]) return;
  g_objects_done.add(objects_[object].begin);
}

void Scan::cannot_set(Word& word) {
  word.bank = 0;
  if (word.is_past) not_set_ = thunk_name(word.thunk);
}

}  // namespace muster
