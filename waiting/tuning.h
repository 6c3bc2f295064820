// Every threshold of `auto`. A value without a measurement behind it is marked "assumed".
//
// campaigns/tuning.py halves and doubles each one and prints what that does to the load grid
// (docs/results/tuning.md). Polls before the first clock read, of all policies: waiting/quick_polls.h.
#pragma once

#include <cstdint>

namespace muster::tuning {

inline constexpr std::uint64_t kUs = 1'000;  // all times in ns
inline constexpr std::uint64_t kMs = 1'000'000;

// Spinning, decide.h.
inline constexpr std::uint64_t kSpinAloneNs =
    1 * kMs;  // before a thread blocks, if nobody else wants its CPU
inline constexpr std::uint64_t kSpinWithCompetitorNs = 50 * kUs;  // Peter et al., section 3
// Without an absent teammate known to be on this CPU, a thread yields once in so long, in case one is.
inline constexpr std::uint64_t kYieldEveryNs = 20 * kUs;
inline constexpr std::uint64_t kYieldEveryContendedNs = 5 * kUs;
inline constexpr unsigned kYieldsThatFound = 8;     // in a row: a teammate must be on this CPU
inline constexpr unsigned kPollsPerClockRead = 16;  // 50 to 800 ns, by the CPU's pause

// Noticing competitors, contention.h.
inline constexpr std::uint64_t kLookEveryNs = 10 * kMs;  // at CPUs and load: costs about 6 us
inline constexpr std::uint64_t kPreemptedNs =
    kMs / 2;  // missing time; turns of hogs last 3 ms and more
inline constexpr std::uint64_t kMostForWorkNs =
    3 * kMs / 2;  // added for teammates' work on the same CPU
inline constexpr std::uint64_t kSightingNs =
    4 * kMs;  // for which one sighting counts; doubled if repeated
inline constexpr std::uint64_t kLongestSightingNs =
    32 * kMs;  // so yields cost at most one slice in that time
inline constexpr std::uint64_t kKeepSliceNs = 200 * kMs;  // after the last sighting; assumed

// Placement, place.h and trial.h.
inline constexpr std::uint64_t kPlaceLookEveryNs = 1 * kMs;  // a few loads
inline constexpr std::uint64_t kWindowNs =
    25 * kMs;  // for a rate or idle time, which has steps of 10 ms
inline constexpr std::uint64_t kLeastTrialNs = 10 * kMs;  // three slices of a competitor
inline constexpr unsigned kBudgetDivisor =
    10;                                   // trials may lose this part of a team's lifetime in work
inline constexpr double kMustGain = 1.1;  // rates of windows differ by chance
inline constexpr unsigned kMostCpus =
    4;  // one of more gives a team less than spreading does; assumed

}  // namespace muster::tuning
