// The words through which objects call the runtimes (thunk_banks.h): found in the objects' relocations, and set to the
// thunks of a bank.
#pragma once

#include <link.h>

#include <cstdint>

#include "preload/thunks/bank_tables.h"
#include "runtime-hooks/objects/loaded_objects.h"
#include "runtime-hooks/runtimes/thunk_banks.h"

namespace muster {

inline constexpr unsigned kAmbiguousBank = kThunkBanks + 1;

extern ObjectSet g_objects_done;

// Of the file's name without its folder.
std::uint64_t hash_of_file(const char* path);

struct Word {
  std::uintptr_t* word;
  std::uintptr_t value;
  const char* version;  // of the reference; null: any
  unsigned object;
  unsigned thunk;
  std::uintptr_t own;  // the definition, if the object itself has it: a runtime
  bool read_only;
  bool is_lazy;   // not bound so far
  bool is_past;   // bound to something else than Muster
  unsigned bank;  // if not 0 at first, another thread has set the word meanwhile
};

// The words of all objects that were not looked at before.
class Scan {
 public:
  Scan(std::uint64_t since, bool looks_past_muster)
      : since_(since), looks_past_muster_(looks_past_muster) {}

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
  void choose();

  // With the loader's list locked, so that no object goes meanwhile.
  void set();

  // The bank of the call: of the object that holds the return address, that the thread has opened, or the only one that
  // can have made it. 0: none.
  unsigned bank_for(unsigned thunk, const void* return_address, std::uint64_t opened) const;

  bool is_empty() const { return word_count_ == 0; }

 private:
  static constexpr unsigned kMostObjects = 1024;
  static constexpr unsigned kMostWords = 16384;

  enum class Finding { kWords, kNothing, kUnfinished };

  void* definition_for(const Word& word, const char* name) const;
  bool was_done(const LoadedObject& object) const;
  void look_at(const LoadedObject& object, const dl_phdr_info& info);
  Finding look_into(const LoadedObject& object, const dl_phdr_info& info);
  void set_words(unsigned object);
  void cannot_set(Word& word);

  const std::uint64_t since_;
  const bool looks_past_muster_;
  const LoadedObject muster_ = object_of(__ehdr_start);
  unsigned object_count_ = 0;
  unsigned word_count_ = 0;
  bool is_complete_ = true;
  const char* not_set_ = nullptr;       // the name of a word past Muster
  bool is_unbound_[kMostObjects] = {};  // refers to what nothing defines so far
  LoadedObject objects_[kMostObjects];
  Word words_[kMostWords];
};

}  // namespace muster
