// The machine's shape, as hwloc sees it. hwloc is not linked: it is opened on first use, for trees,
// because loading a topology takes milliseconds and brings a library into a stranger's process.
#pragma once

#include <cstddef>

namespace muster {

inline constexpr unsigned kTopologyLevels = 8;

struct Topology {
  // From the threads of a core upwards: how many units of the level below make one unit of this
  // level. Levels of one are left out. A machine of two sockets, each of four L3 groups of eight
  // SMT-2 cores: {2, 8, 4, 2}. `levels` is 0 where hwloc is missing or found nothing.
  unsigned arity[kTopologyLevels] = {};
  unsigned levels = 0;
  std::size_t cache_line = 0;   // bytes, 0 = unknown
  const char* source = "none";  // "hwloc", or why not
};

// Loads the topology the first time it is called, once a process (thread-safe); later calls are a
// load. Never fails: an unknown topology has no levels. Takes the loader's lock and allocates: not for the
// threads of a region, which somebody may wait for who holds the one or the other.
const Topology& topology();

// The same without loading it: null where nobody has yet.
const Topology* topology_if_loaded();

}  // namespace muster
