// When a thread arrived at the barriers of its team that are sampled, and how much CPU time it lost on the way there
// (call_sites.h). Written by its owner; thread 0 reads it after the barrier and before it arrives at the next one, so
// two records suffice.
#pragma once

#include <atomic>
#include <cstdint>

#include "waiting/episode.h"

namespace muster {

struct ArrivalStamp {
  std::atomic<Episode> episode{kNoEpisode};
  std::atomic<std::uint64_t> began_ns{0};  // the phase: when the thread had left the barrier before
  std::atomic<std::uint64_t> arrived_ns{0};
  std::atomic<std::uint64_t> lost_ns{0};  // of the time between: not on a CPU
};

struct PhaseStamps {
  Episode begun_for = kNoEpisode;  // the arrival that ends the phase whose begin was stamped
  unsigned shift = 0;              // one in 2^shift is sampled
  std::uint64_t began_ns = 0;
  std::uint64_t began_cpu_ns = 0;
  ArrivalStamp arrivals[2];
};

// How often a team's barriers are sampled: one in 2^shift. Which, all threads draw from the episode alone.
struct Sampling {
  std::atomic<unsigned> shift{0};
  std::uint64_t last_ns = 0;  // of thread 0: the sample before
  Episode last_episode = kNoEpisode;

  static bool takes(Episode episode, unsigned shift) {
    const std::uint64_t drawn = (std::uint64_t{episode} * 0x9e37'79b9'7f4a'7c15U) >> 40;
    return (drawn & ((std::uint64_t{1} << shift) - 1)) == 0;
  }
};

}  // namespace muster
