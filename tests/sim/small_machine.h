// A machine with round numbers: a result shows which latencies it is the sum of.
#pragma once

#include "sim/coherence/machine.h"

namespace muster::coherence::test {

inline constexpr Cycles kNear = 100;
inline constexpr Cycles kFar = 1'000;
inline constexpr unsigned kCores = 8;

// Two groups of four nodes.
inline Machine small_machine(Atomics atomics = Atomics::kLocked) {
  Machine out;
  out.name = "small";
  out.cores = kCores;
  out.line_bytes = 64;
  out.stores_in_flight = 4;
  out.atomics = atomics;
  out.memory_cycles = 50;
  out.levels = {{.name = "near", .nodes = 4, .latency_cycles = kNear},
                {.name = "far", .nodes = kCores, .latency_cycles = kFar}};
  return out;
}

}  // namespace muster::coherence::test
