// Each executed atomic operation of the sources, and the changes that make a mutant of it.
#pragma once

#include <string>
#include <vector>

#include "tests/model/operation.h"

namespace muster::model {

struct Site {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  std::string function;
  Kind kind = Kind::kNothing;
  std::memory_order order = std::memory_order_relaxed;
  unsigned bits = 0;  // of its word
  bool met = false;   // in the current exploration
};

// All sites executed so far, by any program; an operation's `site` is an index here.
std::vector<Site>& sites();
std::uint16_t site_of(const Place& place, Kind kind, std::memory_order order, unsigned bits);

enum class Change : std::uint8_t {
  kNone,
  kRelaxed,       // whatever the order was
  kAcquireOnly,   // of an acquire-release or sequentially consistent update
  kReleaseOnly,   // likewise
  kNoFence,       // the fence is left out; a heavy one returns true all the same
  kNoComparison,  // of a futex wait: sleeps whatever the word holds
  kBlindRecheck,  // between setting the flag "asleep" and sleeping, loads see nothing new
  kNoWake,        // the system call that wakes is left out
  kFlag,          // any value of a word counts as the current episode
  kCountFlag,     // the same, as the current episode times the team
  kNoDrain,       // Memory::drain_stores() is left out
};

struct Mutation {
  std::uint16_t site = 0;
  Change change = Change::kNone;
};

// The possible changes at a site.
std::vector<Change> changes_at(const Site& site);
std::string name_of(Change change);
std::string name_of(std::memory_order order);
std::string name_of(Kind kind);
std::string text_of(const Site& site);  // folder/file.h:line function operation order

}  // namespace muster::model
