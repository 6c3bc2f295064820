// EPCC's tests on a simulated machine: each thread computes for a while and meets the others at a
// barrier, again and again.
#pragma once

#include "options/barrier_names.h"
#include "options/wait_names.h"
#include "sim/coherence/world.h"
#include "sim/published/reading.h"

namespace muster::coherence {

enum class Construct {
  kBarrier,   // computing, then a barrier
  kParallel,  // a release by the primary, computing, and a gather: fork and join of a folded region
};

struct Experiment {
  Construct construct = Construct::kBarrier;
  BarrierKind barrier = BarrierKind::kDistSensor;
  // Not empty: instead one of sim/published/barriers.h, by the paper's name.
  std::string published{};
  published::Reading reading{};     // of that one
  WaitKind wait = WaitKind::kSpin;  // one that needs no scheduler (waiting/scheduler.h)
  unsigned threads = 2;
  unsigned episodes = 100;
  double delay_us = 0.1;
  // Each delay is longer by a share of itself, drawn from the seed, up to this one.
  double jitter = 0.02;
  std::uint64_t seed = 1;
  unsigned warm_up = 10;  // episodes before those that count
};

struct Outcome {
  double episode_us = 0;           // the time of an episode, as the primary thread has it
  double overhead_us = 0;          // without the computing: EPCC's definition
  std::vector<Counts> processors;  // while it was measured
  std::vector<World::Occupancy> occupancies;  // of the whole run
  Cycles run_cycles = 0;
  bool in_step = true;  // no thread left an episode before all had arrived there
};

// Deterministic. `progress` is called after each episode of the primary thread; may be empty. Throws
// std::runtime_error where that team cannot be made or is stuck.
Outcome simulate(const Machine& machine, const Experiment& experiment,
                 const std::function<void(unsigned episode)>& progress);

}  // namespace muster::coherence
