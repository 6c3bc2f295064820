// The memory that chaos runs on: what C++ allows of atomics, fences and futexes, with one possibility drawn at each
// access.
//
// The rules are those of the model checker (tests/model/state.h): each word has the last few values that were stored in
// it, and each thread has a view: for each word the oldest value that it may still read. One rule is narrower, for
// speed: values older than the last four stores, or than a drawn time, are not read any more.
#pragma once

#include <string>
#include <vector>

#include "tests/model/sites.h"
#include "tests/support/simulated_threads.h"

namespace muster::chaos {

using model::Kind;
using model::Place;

inline constexpr unsigned kMostThreads = 8;
inline constexpr unsigned kMostWords = 512;
inline constexpr unsigned kMostCells = 64;

// The implementation of light and heavy fences (platform/fences.h).
enum class Fences : std::uint8_t { kAsymmetric, kSymmetric, kRefused, kNowAndThenRefused };

struct MemoryPlan {
  unsigned stale_of_256 = 0;   // loads that take an old value where they may
  std::uint64_t stale_ns = 0;  // no value is older
  unsigned wakes_of_256 = 0;   // sleeps that end spuriously at once, or before their time
  unsigned fails_of_256 = 0;   // weak compare-and-swaps
  Fences fences = Fences::kAsymmetric;
};

class WeakMemory {
 public:
  explicit WeakMemory(test::SimulatedThreads& threads) : threads_(threads) {}

  // Before a run: removes everything. Then all words are added, then begin() is called.
  void clear(const MemoryPlan& plan, model::Mutation mutation, bool notes_sites);
  std::uint16_t new_word(std::uint64_t value);
  void open_group(unsigned group) { group_ = static_cast<std::uint8_t>(group); }
  void begin();
  // Words of a closed group are invalid: an access to one is a fault.
  void close(unsigned group, bool closed) { closed_[group] = closed; }
  void at_episode(std::uint64_t episode, unsigned team);  // for the mutants

  std::uint64_t load(std::uint16_t word, std::memory_order order, unsigned bits,
                     const Place& place);
  void store(std::uint16_t word, std::uint64_t value, std::memory_order order, unsigned bits,
             const Place& place);
  std::uint64_t update(Kind kind, std::uint16_t word, std::uint64_t value, std::memory_order order,
                       unsigned bits, const Place& place);
  bool compare_exchange(std::uint16_t word, std::uint64_t& expected, std::uint64_t value,
                        std::memory_order order, std::memory_order failed, unsigned bits,
                        const Place& place);
  void light_fence(const Place& place);
  void full_fence(const Place& place);
  bool heavy_fence(const Place& place);
  void drain(const Place& place);
  bool wait(std::uint16_t word, std::uint64_t expected, bool limited, const Place& place);
  void wake(std::uint16_t word, const Place& place);

  // Plain memory. A race is a fault; so is another value than `expected`. A store that bypasses the order of release
  // stores, as vector code may, has happened for others from the next drain() on.
  void write(unsigned cell, std::uint64_t value, bool bypassing = false);
  void must_hold(unsigned cell, std::uint64_t expected);

  // All that the threads of `team` have done happens before what they do from here on.
  void meet(unsigned team);

  void fail(const char* what);  // the run ends here
  const std::string& wrong() const { return wrong_; }

 private:
  static constexpr unsigned kHistory = 4;
  static constexpr std::uint32_t kGap = 64;  // between the numbers of two values
  static constexpr unsigned kGroups = 8;
  using Count = std::uint32_t;

  // A view is so many counts: for each thread its accesses to plain memory, then those of its stores that bypass; then
  // for each word the oldest value that may be read.
  static constexpr unsigned kClocks = 2 * kMostThreads;
  using View = Count*;

  struct Thread {
    View now = nullptr;       // what it may read
    View acquired = nullptr;  // what it may after a fence: of relaxed loads, too
    View released = nullptr;  // what its relaxed stores carry: `now` as of the last fence
    View lightly = nullptr;   // `now` as of the last light fence
    Count accesses = 0;
    Count bypassing = 0;
    Count heavy_seen = 0;
    std::uint64_t episode = 0;
    unsigned team = 0;
    bool blind = false;
    bool slept = false;
    std::vector<Count> taken;         // of each word: the value whose view `acquired` has
    std::vector<Count> acquires;      // the same of `now`
    std::vector<std::uint64_t> read;  // what was read last
  };
  // The values, oldest first. Each has a number, by which views know it, with gaps for stores that come between; and a
  // slot, where its own view is.
  struct Word {
    std::uint64_t value[kHistory] = {};
    std::uint64_t at_ns[kHistory] = {};
    Count number[kHistory] = {};
    std::uint8_t slot[kHistory] = {};
    bool follows[kHistory] = {};  // an update of the one before: nothing comes between
    std::uint8_t count = 1;
    std::uint8_t group = 0;
    Count woken = 0;  // what a wake has seen

    unsigned newest() const { return count - 1U; }
  };
  struct Cell {
    std::uint64_t value = 0;
    std::uint8_t writer = 0;
    bool bypassing = false;
    Count written = 0;
    Count read[kMostThreads] = {};
  };

  // The effect of the mutant at this place, if it is the one; an order is changed here.
  model::Change change_at(const Place& place, Kind kind, unsigned bits,
                          std::memory_order& order) const;
  std::uint64_t flagged(const Thread& me, std::uint64_t value, model::Change change,
                        unsigned bits) const;
  Thread& self() { return thread_[threads_.running()]; }
  View view_of(std::uint16_t word, unsigned at) {
    return views_.data() + (std::size_t{word} * kHistory + word_[word].slot[at]) * stride_;
  }
  void touch(std::uint16_t word);
  // Where among the values: what is read, and after which a store comes.
  unsigned choose(const Word& word, Count from);
  unsigned choose_place(const Word& word, Count from);
  std::uint64_t take(Thread& me, std::uint16_t word, unsigned at, bool acquires);
  void put(Thread& me, std::uint16_t word, unsigned after, std::uint64_t value, bool releases,
           bool follows);
  void fence_fully(Thread& me);
  bool drawn(unsigned of_256) { return of_256 != 0 && threads_.draw() % 256 < of_256; }

  void see(View into, const Count* from) const;
  void join(View into, const Count* from) const;
  void copy(View into, const Count* from) const;

  test::SimulatedThreads& threads_;
  MemoryPlan plan_;
  model::Mutation mutation_;
  bool notes_sites_ = false;
  std::vector<Word> word_;
  std::vector<Count> views_;
  std::vector<Count> own_views_;
  unsigned stride_ = 0;
  unsigned used_ = 0;
  View fences_ = nullptr;
  View heavy_ = nullptr;
  Count heavy_fences_ = 0;
  Thread thread_[kMostThreads];
  Cell cell_[kMostCells];
  std::uint8_t group_ = 0;
  bool closed_[kGroups] = {};
  bool has_begun_ = false;
  std::string wrong_;
};

inline WeakMemory* g_memory = nullptr;  // that the words below belong to

}  // namespace muster::chaos
