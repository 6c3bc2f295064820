// The checked machine while a program runs on it: threads that stop before each operation on shared memory, and what
// each operation may do. The explorer decides which thread continues, and in which way.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/fibers.h"
#include "tests/model/sites.h"
#include "tests/model/state.h"

namespace muster::model {

// The implementation of light and heavy fences (platform/fences.h).
enum class Fences : std::uint8_t {
  kAsymmetric,  // by membarrier
  kSymmetric,   // both are full fences
  kRefused,     // the light one is cheap, the heavy one is not available: sleeps are limited
};

// What is assumed about a program until it turns out to be wrong; then it is explored again.
struct Assumed {
  std::uint8_t writers[kMaxLocations] = {};  // threads, as a mask
  bool heavy_fences = false;                 // it has some
  bool holds = true;
};

enum class Fault : std::uint8_t {
  kNone,
  kRace,          // two accesses to plain memory, one of them a store, neither before the other
  kWrongValue,    // plain memory does not hold what it must
  kDisagreement,  // of the threads of an instance, one was released and another called off
  kWrongOutcome,  // all were called off, or none, contrary to the program
  kDeadlock,      // no thread can continue
  kTooMuch,       // the program is larger than state.h allows for
};
std::string name_of(Fault fault);

class World {
 public:
  World(unsigned threads, Fences fences, Mutation mutation, Assumed& assumed);

  // Before the run: the locations are added by the constructors of CheckedMemory::Atomic; then the threads.
  std::uint8_t new_location(std::uint64_t value);
  void begin(std::function<void(unsigned)> body, unsigned wakes_for_nothing, std::uint8_t stale);

  // For CheckedMemory, from within a thread.
  std::uint64_t load(std::uint8_t location, std::memory_order order, unsigned bits,
                     const Place& place);
  void store(std::uint8_t location, std::uint64_t value, std::memory_order order, unsigned bits,
             const Place& place);
  std::uint64_t update(Kind kind, std::uint8_t location, std::uint64_t value,
                       std::memory_order order, unsigned bits, const Place& place);
  bool compare_exchange(std::uint8_t location, std::uint64_t& expected, std::uint64_t value,
                        std::memory_order order, std::memory_order failed, unsigned bits,
                        const Place& place);
  bool fence(Kind kind, const Place& place);
  void drain(const Place& place);
  bool wait(std::uint8_t location, std::uint64_t expected, bool limited, const Place& place);
  void wake(std::uint8_t location, const Place& place);
  // Stands still, except while a loop of polls runs to its end: there it passes every limit.
  std::uint64_t now_ns();
  unsigned running() const { return fibers_->running(); }

  // For the checked program, from within a thread.
  void write(unsigned cell, std::uint64_t value, bool bypassing = false);
  std::uint64_t read(unsigned cell);
  void must_hold(unsigned cell, std::uint64_t value);
  // The thread's registers and stack hold nothing that `position` does not imply.
  void settle(std::uint64_t position);
  void at_episode(std::uint64_t episode);
  void note_outcome(std::uint64_t instance, bool released, bool expected);
  void real_barrier();
  void fail(Fault fault, std::string text);

  // For the explorer.
  State& state() { return state_; }
  unsigned threads() const { return threads_; }
  bool all_done() const;
  void choices(std::vector<Choice>& out, bool time_passes);
  const Operation& pending(unsigned thread) const { return control_[thread].pending; }
  // False: another way leads to the same state.
  bool take(const Choice& choice);
  // An operation whose time no other thread can observe, if there is any.
  bool lonely(Choice& out) const;
  Fault fault() const { return fault_; }
  const std::string& fault_text() const { return fault_text_; }
  void forget_fault() { fault_ = Fault::kNone; }
  void make_canonical();
  void save(std::vector<std::byte>& out) const;
  void restore(const std::byte* from);

 private:
  static constexpr std::uint64_t kClockBegins = 1'000;
  static constexpr std::uint64_t kBeyondAllLimitsNs = 1'000'000'000;
  static constexpr unsigned kEndless = 2'000;  // polls: more than any loop with a limit makes

  // Determined by a thread's history: kept with the state, but not part of it.
  struct Control {
    Operation pending;
    std::uint64_t result = 0;
    bool success = false;
    bool blind = false;  // Change::kBlindRecheck: between a fence and a wait
    bool slept = false;  // in this episode
    std::uint64_t clock_ns = kClockBegins;
    std::uint64_t episode = 0;
  };

  std::uint64_t stop_before(const Operation& operation);
  Operation described(Kind kind, std::uint8_t location, std::memory_order order, unsigned bits,
                      const Place& place) const;
  bool is_poll(const ThreadState& self, unsigned location) const;
  std::uint64_t poll_key(unsigned thread) const;
  std::uint64_t flagged(std::uint64_t value, const Operation& operation);
  void choices_of(unsigned thread, std::vector<Choice>& out, bool time_passes);
  bool is_stale(const Choice& choice) const;
  void news(unsigned thread, std::vector<Choice>& out);
  bool perform(const Choice& choice);
  std::uint64_t read_message(unsigned thread, unsigned location, unsigned position,
                             std::memory_order order, bool polls);
  void insert_message(unsigned thread, unsigned location, unsigned after, std::uint64_t value,
                      std::memory_order order, bool follows);
  bool fences(unsigned thread, Kind kind);
  void full_fence(unsigned thread);
  bool heavy_fence(unsigned thread);
  void wake_sleepers(unsigned location);
  void end_limited_sleeps();
  bool run(unsigned thread);
  Position floor(unsigned thread, unsigned location, std::memory_order order) const;
  void remember(unsigned thread, std::uint64_t what);

  const unsigned threads_;
  const Fences mode_;
  const Mutation mutation_;
  Assumed& assumed_;
  unsigned locations_ = 0;
  State state_;
  Control control_[kMaxThreads];
  std::unique_ptr<sim::Fibers> fibers_;

  // While a thread goes through a loop of polls.
  enum class Polling : std::uint8_t { kNot, kToItsEnd, kToNews };
  Polling polling_ = Polling::kNot;
  Choice news_;
  unsigned polls_ = 0;
  bool found_endless_ = false;
  std::uint64_t poll_key_ = 0;
  std::unordered_map<std::uint64_t, bool> endless_;  // loops that do not end without news

  unsigned to_run_ = 0;  // threads that a wake has made ready
  Fault fault_ = Fault::kNone;
  std::string fault_text_;
};

inline World* g_world = nullptr;  // that the threads run in

}  // namespace muster::model
