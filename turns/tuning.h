// The times of turns, in ns.
#pragma once

#include <cstdint>

namespace muster::turns_tuning {

inline constexpr std::uint64_t kTurnNs = 5'000'000;
// How often a process at work writes a sign of life, and for how long that holds.
inline constexpr std::uint64_t kBeatNs = 250'000;
inline constexpr std::uint64_t kLiveNs = kTurnNs;
// How long after the begin of a turn its threads wake. Those of the turn before need some microseconds to notice the
// end, and a thread that wakes before is put on another CPU.
inline constexpr std::uint64_t kGuardNs = 30'000;
// For so long after the begin of a turn, threads go to their own CPUs at each barrier. For the whole turn, teams beside a
// CPU hog for each fourth processor were 10 to 200 times slower in simulations.
inline constexpr std::uint64_t kPlaceNs = kTurnNs / 5;
// A thread that computed for longer than this is not kept from its barrier: it would have used several turns.
inline constexpr std::uint64_t kCoarseNs = 2'000'000;
// After so many turns of others in a row a process has one, whatever the page says.
inline constexpr std::uint64_t kMostTurnsOff = 20;
// A sign of life further ahead is none.
inline constexpr std::uint64_t kMostLiveNs = (kMostTurnsOff + 2) * kTurnNs + kLiveNs;
// A record whose owner has not been heard of for so long is free.
inline constexpr std::uint64_t kAbandonedNs = 1'000'000'000;
// Turns without others in the way, after which a process leaves the page.
inline constexpr std::uint64_t kTurnsAlone = 100;

}  // namespace muster::turns_tuning
