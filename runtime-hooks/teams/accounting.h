// Adding up what threads and teams counted, for the report. Teams that change their size hand their
// counts over first, so none is lost and each is credited to the size it was made in.
#pragma once

#include <cstdint>

#include "barriers/layout.h"
#include "options/barrier_names.h"
#include "waiting/wait_stats.h"

namespace muster {

struct Runtime;

struct AlgorithmUse {
  BarrierKind kind{};  // all zero, so that TeamTotals is no part of the file
  unsigned team_size = 0;
  Tally replaced;  // arrivals
};

// How the waits of all teams of one size ended: what SSR is made of.
struct SizeUse {
  Tally arrivals;  // released by Muster's barrier
  Tally arrived_last;
  Tally waits;
  Tally spins_succeeded;
  Tally blocks;

  void add_member(const WaitStats& stats);
  void add_to(SizeUse& sum) const;
  void clear();
};

inline constexpr unsigned kMaxAlgorithmUses = 256;

// By thread number over all teams, by team size, and by algorithm and team size. 0.5 MB of zero
// pages until used.
struct TeamTotals {
  WaitStats by_thread[kMaxTeam];
  SizeUse by_size[kMaxTeam + 1];
  AlgorithmUse uses[kMaxAlgorithmUses];  // when it is full, further sizes are added to the last
  unsigned use_count = 0;
  unsigned threads = 0;  // the largest team

  void add_member(BarrierKind kind, unsigned team_size, unsigned thread, const WaitStats& stats);
  void clear();
};

// What retired teams handed over. Writers hold the lock that Team::retire takes.
TeamTotals& retired_totals();

// What all threads counted together, at any time and by anybody. False where it cannot be told now: a
// team is just being made or retired, perhaps by the calling thread, whom a signal has interrupted.
struct SumsSoFar {
  WaitStats waits;
  std::uint64_t instances = 0;  // barriers, counted once a team
};
bool sum_so_far(SumsSoFar& sums);

// Retired and living teams together, as they stand now. Others may still be counting.
const TeamTotals& collect_totals();

// Arrivals at Muster's barriers in regions of that runtime: what teams have handed over when they went
// on to another runtime's regions, or were retired, and what those of its own have counted since.
std::uint64_t arrivals_of(Runtime& runtime);

}  // namespace muster
