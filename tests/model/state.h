// A state of the checked machine: plain data, so that it can be copied, compared and hashed.
//
// The machine has views: promising semantics without promises. Each atomic location has its modification order as a
// list of messages, each thread a view: for each location the oldest message that it may still read.
//
// - A load takes any message that is not older than the thread's view, which then begins there. An acquire load joins
//   the message's view; a relaxed one keeps it for a later acquire fence.
// - A store may be inserted anywhere in the order after the thread's view, except between a read-modify-write and the
//   message that it read. A release store carries the thread's view; a relaxed one the view of the last release fence.
// - A read-modify-write is placed directly after the message it reads, and passes that message's view on (release
//   sequences as in C++20). A weak compare-and-swap may fail spuriously.
// - Sequentially consistent fences exchange views with a shared one. Sequentially consistent accesses count as accesses
//   with a fence before and, if they store, after: stronger than C++ for programs that mix them. The barriers use only
//   fences.
// - Happens-before, for data races, is a second part of the view, which fences do not exchange.
// - Light and heavy fences are those of P1202: each pair is ordered one way or the other; two light ones are not.
// - A futex wait compares and falls asleep in one step. It may read any value not older than what the thread or an
//   earlier wake of that word has seen, which is less than kernels promise. A wake ends the sleeps that have begun and
//   is not remembered. Sleeps may end spuriously. A limited sleep ends when nothing else can happen.
// - The clock stands still, except that a loop of polls may be gone through to its end. So both phases of a two-phase
//   wait are explored at every wait.
//
// Load buffering is not included, as in RC11. Sources: Kang, Hur, Lahav, Vafeiadis, Dreyer: A promising
// semantics for relaxed-memory concurrency (POPL 2017); Lahav, Vafeiadis, Kang, Hur, Dreyer: Repairing sequential
// consistency in C/C++11 (PLDI 2017); WG21 P0982 (release sequences), P1202 (asymmetric fences); futex(2),
// membarrier(2).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace muster::model {

inline constexpr unsigned kMaxThreads = 4;
inline constexpr unsigned kMaxLocations = 40;
inline constexpr unsigned kMaxMessages = 160;
inline constexpr unsigned kMaxCells = 16;

inline constexpr std::uint8_t kUnlimited = 255;

using Position = std::uint8_t;  // in a location's modification order
using Count = std::uint8_t;     // of a thread's accesses to plain memory

// A view: for each location the oldest readable message, and for each thread the number of its plain accesses that
// happened before. The second half of `clock` counts stores that bypass the order of release stores until
// Memory::drain_stores().
struct View {
  Position at[kMaxLocations];
  Count clock[2 * kMaxThreads];

  // Coherence only, as a sequentially consistent fence gives it: nothing happens before by it.
  void see(const View& other) {
    for (unsigned i = 0; i < kMaxLocations; ++i) at[i] = std::max(at[i], other.at[i]);
  }
  void join(const View& other) {
    see(other);
    for (unsigned i = 0; i < 2 * kMaxThreads; ++i) clock[i] = std::max(clock[i], other.clock[i]);
  }
};

struct Message {
  std::uint64_t value;
  std::uint8_t location;
  bool follows;  // a read-modify-write of the message before it: nothing comes between
  std::uint8_t writer;
  std::uint8_t unused[5];
  View view;  // what its reader acquires
};

enum class Status : std::uint8_t { kReady, kAsleep, kDone };

struct ThreadState {
  View now;       // what it may read
  View acquired;  // by relaxed loads: joins `now` at an acquire fence
  View released;  // what its relaxed stores carry: `now` as of the last release fence
  View lightly;   // `now` as of the last light fence
  Position read[kMaxLocations];
  std::uint64_t polled;   // locations read since something last changed for this thread: a mask
  std::uint64_t history;  // stands for the thread's registers and stack
  Status status;
  std::uint8_t sleeps_on;
  bool limited;  // its sleep ends by itself
  bool unused;
  std::uint8_t wakes_for_nothing;  // that are left to it
  bool failed_for_nothing;         // a weak compare-and-swap, since something last changed
  Count accesses;                  // to plain memory
  Count bypassing;                 // stores that bypass
};

// Plain memory, with the state that detects races.
struct Cell {
  std::uint64_t value;
  std::uint8_t writer;
  Count written;  // the writer's count; 0: never
  bool bypassing;
  std::uint8_t unused;
  Count read[kMaxThreads];  // each thread's count at its last reading; 0: never
};

struct State {
  ThreadState thread[kMaxThreads];
  View fences;  // what the sequentially consistent fences have seen
  View heavy;   // what the heavy fences have seen
  View kernel;  // what the wakes have seen
  Cell cell[kMaxCells];
  std::uint8_t stale_left;                 // choices of an older message; kUnlimited: any number
  std::uint8_t outcome[15];                // of instances: 0 not known, 1 released, 2 called off
  std::uint16_t first[kMaxLocations + 1];  // where a location's messages begin
  Message message[kMaxMessages];  // sorted by location and order; the last member: copied in part

  unsigned messages() const { return first[kMaxLocations]; }
  std::size_t bytes() const { return offset_of_messages() + messages() * sizeof(Message); }
  std::size_t offset_of_messages() const {
    return static_cast<std::size_t>(reinterpret_cast<const char*>(message) -
                                    reinterpret_cast<const char*>(this));
  }
  unsigned length(unsigned location) const {
    return static_cast<unsigned>(first[location + 1] - first[location]);
  }
  Message& at(unsigned location, unsigned position) { return message[first[location] + position]; }
  const Message& at(unsigned location, unsigned position) const {
    return message[first[location] + position];
  }
};

}  // namespace muster::model
