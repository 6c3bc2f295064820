// A machine as the simulator knows it: what its processors share, and how long a line takes from where.
// Described by the files in machines/, where each number has its source.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace muster::coherence {

using Cycles = std::uint64_t;  // of the processor's clock

inline constexpr unsigned kMostCores = 1024;

// How atomic updates are made.
enum class Atomics {
  kReservation,  // load-linked and store-conditional: may fail
  kLocked,       // one instruction: waits for the line and cannot fail
};

// How a request finds the line.
enum class Coherence {
  kSnooping,   // all nodes see each request, and those that change ownership wait for all to answer
  kDirectory,  // a home node knows which nodes have the line; only those are asked
};

// Nodes within such a group are nearer to each other than to others.
struct Level {
  std::string name;
  unsigned nodes = 1;  // in one group
  // From a request to the use, of a line that another node of the group has.
  Cycles latency_cycles = 0;
  Cycles link_cycles = 0;  // for how long a line that comes this far occupies the group's link
  unsigned lanes = 1;      // links side by side, each for some of the group's nodes
  Cycles hop_cycles = 0;   // the groups one level down are a ring: for each hop after the first
};

struct Machine {
  std::string name;
  std::string title;
  std::string source;  // in short, for captions
  double clock_ghz = 1;
  unsigned cores = 1;
  unsigned line_bytes = 64;

  // A core's nearest cache.
  Cycles load_cycles = 1;   // a load that hits
  Cycles poll_cycles = 1;   // what a loop does between two loads
  Cycles pause_cycles = 1;  // the pause instruction
  Cycles store_cycles = 1;  // a store to a line that the core's node owns
  // Stores whose lines are being fetched at once; they take effect in order.
  unsigned stores_in_flight = 1;
  unsigned store_queue = 32;  // how many may wait
  Cycles fence_cycles = 0;    // a full fence, once the core's stores have taken effect
  // Neighbouring lines that are read one after the other: how many such streams a core follows, and
  // how many lines ahead of it its node fetches. None where not modelled.
  unsigned prefetch_streams = 0;
  unsigned prefetch_lines = 0;

  Atomics atomics = Atomics::kLocked;
  Cycles atomic_cycles = 1;  // of the instruction, or of each half, once the line is there

  // What is seen by others as one: a core with its caches, or several that share the cache in which
  // coherence is kept.
  unsigned cores_in_node = 1;
  Cycles node_hit_cycles = 0;   // a line that the node has and this core's nearest cache has not
  Cycles node_data_cycles = 0;  // for how long a line that leaves the node occupies its port

  Coherence coherence = Coherence::kDirectory;
  Cycles address_cycles = 0;  // for how long a request occupies the address bus, or the line's home
  Cycles invalidate_cycles = 0;  // directory: for each further holder that has to be invalidated
  Cycles memory_cycles = 0;      // a line that no node has

  std::vector<Level> levels;  // from near to far; the last holds all nodes

  unsigned nodes() const { return cores / cores_in_node; }
  unsigned node_of(unsigned core) const { return core / cores_in_node; }
  // The index of the nearest level whose group holds both.
  unsigned level_between(unsigned node, unsigned other) const;
  // Of a line from `holder`.
  Cycles latency(unsigned node, unsigned holder) const;
  // What all nodes' answers to a request take.
  Cycles snoop_cycles(unsigned node) const;
  double ns(double cycles) const { return cycles / clock_ghz; }
};

// By file name without .toml, in that folder; `rule-N` is rule.toml with N cores. Throws
// std::runtime_error, with a line for the user.
Machine load_machine(const std::filesystem::path& folder, const std::string& name);

// The machines of a folder, `rule-N` as such.
std::vector<std::string> machine_names(const std::filesystem::path& folder);

}  // namespace muster::coherence
