// Every threshold of `auto`. Times are in ns. A value without a measurement behind it is marked "assumed".
//
// campaigns/tuning.py halves and doubles each one and prints what that does to the load grid. The polls before the
// first clock read, which all policies have, are in waiting/quick_polls.h; the default time slice is in
// options/kinds.h.
#pragma once

#include <cstdint>

namespace muster::tuning {

inline constexpr std::uint64_t kUs = 1'000;
inline constexpr std::uint64_t kMs = 1'000'000;

// --- Spinning: decide.h

// Before a thread blocks, if nobody else wants its CPU; between regions at most.
inline constexpr std::uint64_t kSpinAloneNs = 1 * kMs;
// The same with a competitor, or if the user wants passive waiting, at most. Peter et al., section 3.
inline constexpr std::uint64_t kSpinWithCompetitorNs = 50 * kUs;
// The same if the user wants passive waits and the program's regions are rare: what a sleep and a wake-up cost.
inline constexpr std::uint64_t kSpinPassiveNs = 10 * kUs;
// ... and at least, after many spins in vain: some polls. Assumed.
inline constexpr std::uint64_t kLeastSpinNs = 1 * kUs;
// How often a spinning thread yields in case an absent teammate is on its CPU: if the team fits and is undisturbed (a
// yield that takes as long hints at one, which polled until it yielded itself)...
inline constexpr std::uint64_t kYieldEveryNs = 20 * kUs;
// ... and if not.
inline constexpr std::uint64_t kYieldEveryContendedNs = 5 * kUs;
// 50 to 800 ns, by the CPU's pause.
inline constexpr unsigned kPollsPerClockRead = 16;

// --- Noticing competitors: contention.h

// Between two looks at CPUs and load, each about 6 us.
inline constexpr std::uint64_t kLookEveryNs = 10 * kMs;
// Missing time that shows a competitor. Turns of threads that only compute last for 3 ms and more.
inline constexpr std::uint64_t kPreemptedNs = kMs / 2;
// The most that is added to it for the work of teammates on the same CPU.
inline constexpr std::uint64_t kMostForWorkNs = 3 * kMs / 2;
// How long one sighting counts; doubled for each one that follows soon.
inline constexpr std::uint64_t kSightingNs = 4 * kMs;
// The most that it counts: then a yield, which shows whether the competitor has left, may cost a slice.
inline constexpr std::uint64_t kLongestSightingNs = 32 * kMs;
// The time between two instances from which threads of a team that does not fit sleep for each other beside competitors
// that the load sensor counts: about ten times what the sleeps and wake-ups of one instance take.
inline constexpr std::uint64_t kCoarseGrainedNs = 100 * kUs;
// For which a short slice is kept after the last sighting, a team on many CPUs may be kept apart, and one that takes
// turns may be left to the kernel. Assumed.
inline constexpr std::uint64_t kLatelyNs = 200 * kMs;

// --- Placement: place.h, placement.h, trial.h

// Between two decisions, a few loads each, and two looks at the load while threads of a team that fits share a CPU.
inline constexpr std::uint64_t kPlaceLookEveryNs = kMs / 2;
// For which a rate or idle times are measured. Idle times have steps of 10 ms.
inline constexpr std::uint64_t kWindowNs = 25 * kMs;
// The most windows of one measurement: then the rate before a trial is measured anew, and a place fails that neither pays
// nor loses much. Assumed.
inline constexpr unsigned kMostWindows = 4;
// The part of a team's lifetime that trials may lose in work: one tenth...
inline constexpr unsigned kBudgetDivisor = 10;
// ... of a lifetime of at least this. So the first trial begins as soon as a rate is known.
inline constexpr std::uint64_t kLeastLifetimeNs = 50 * kMs;
// The time between two instances below which a CPU for each thread of a team may pay: a few context switches.
inline constexpr std::uint64_t kFineGrainedNs = 10 * kUs;
// By how much a placement must gain, in percent: rates of two windows differ by chance.
inline constexpr unsigned kMustGainPercent = 10;
// One CPU of more than these gives a team less than it gets spread over all. Assumed.
inline constexpr unsigned kMostCpus = 4;

}  // namespace muster::tuning
