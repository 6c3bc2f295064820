// The machine's shape, from hwloc. hwloc is not linked but opened on first use, for trees: loading a topology takes
// milliseconds and brings a library into the host process.
#pragma once

#include <cstddef>

namespace muster {

inline constexpr unsigned kTopologyLevels = 8;

struct Topology {
  // From the threads of a core upwards: how many units of the level below make one unit of this level. Levels of one
  // are left out. For two sockets with four L3 groups of eight SMT-2 cores each: {2, 8, 4, 2}. `levels` is 0 if hwloc
  // is missing or found nothing.
  unsigned arity[kTopologyLevels] = {};
  unsigned levels = 0;
  std::size_t cache_line = 0;   // bytes, 0 = unknown
  const char* source = "none";  // "hwloc", or the reason why it was not used
};

// Loads the topology on the first call in a process (thread-safe); later calls are a load. Never fails: an unknown
// topology has no levels. Takes the loader's lock and allocates, so the threads of a region must not call it: a thread
// that holds one of these locks may be waiting for them.
const Topology& topology();

// The same without loading it: null if it has not been loaded.
const Topology* topology_if_loaded();

}  // namespace muster
