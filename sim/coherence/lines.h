// What the simulated caches know of one line, and what is asked for it.
#pragma once

#include <bitset>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/coherence/machine.h"

namespace muster::coherence {

inline constexpr unsigned kNone = ~0U;

enum class Purpose : std::uint8_t {
  kAccess,       // the thread waits for the line
  kConditional,  // so does its store-conditional, and fails if the reservation goes first
  kStore,        // the store is in the thread's queue
  kPrefetch,     // no thread waits
};

struct Request {
  unsigned thread = 0;
  bool own = false;  // exclusively, to write; else to read
  Purpose purpose = Purpose::kAccess;
};

// A thread that polls this line, and others perhaps, and would find nothing new.
struct Spinner {
  unsigned thread = 0;
  std::uint64_t ticket = 0;  // of its present wait; an older one is over
};

// MESI, seen from where all meet: one node has it exclusively (M or E; which of both costs the same
// here), or any number share it (S), or no node has it (I).
struct Line {
  unsigned index = 0;               // by first use
  std::uintptr_t number = 0;        // its address in lines
  unsigned owner = kNone;           // the node that has it exclusively
  std::bitset<kMostCores> holders;  // nodes, the owner among them
  std::bitset<kMostCores>
      copies;                 // cores whose nearest cache has it, where a node is more than one
  std::uint64_t version = 0;  // counts the writes

  bool busy = false;             // it is on its way from one owner to another node
  unsigned reads_under_way = 0;  // by several at once, while it is shared
  // A directory: those that its home has not served yet. Snooping: those that wait for the answer to
  // another request of their own node, which is one of these.
  std::deque<Request> queue;
  std::bitset<kMostCores> asking;
  std::vector<Spinner> spinners;
  std::vector<unsigned> reservations;  // threads that have one
};

// Something that serves one request after the other: a bus, a port, a link.
struct Resource {
  Cycles free_at = 0;
  Cycles busy_cycles = 0;

  // When it begins to serve a request of that length, made now.
  Cycles serve(Cycles now, Cycles length) {
    const Cycles begin = now > free_at ? now : free_at;
    free_at = begin + length;
    busy_cycles += length;
    return begin;
  }
};

}  // namespace muster::coherence
