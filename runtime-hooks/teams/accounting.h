// Sums of what threads and teams counted, for the report. A team that changes its size adds its counts to the totals
// first, so none is lost and each belongs to the size in which it was counted.
#pragma once

#include <cstdint>

#include "barriers/layout.h"
#include "options/barrier_names.h"
#include "waiting/wait_stats.h"

namespace muster {

struct Runtime;

// What ran: of a combination of algorithms, each for itself.
struct AlgorithmUse {
  BarrierKind kind{};  // all zero, so that TeamTotals is in .bss
  unsigned team_size = 0;
  Tally replaced;         // arrivals
  Tally while_contended;  // of these
};

// How the waits of all teams of one size ended, from which SSR is computed.
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

// By thread number over all teams, by team size, and by algorithm and team size. 0.5 MB of
// .bss, of which unused pages cost nothing.
struct TeamTotals {
  WaitStats by_thread[kMaxTeam];
  SizeUse by_size[kMaxTeam + 1];
  AlgorithmUse uses[kMaxAlgorithmUses];  // when full, further sizes are added to the last one
  unsigned use_count = 0;
  unsigned threads = 0;  // the largest team

  void add_member(BarrierKind kind, unsigned team_size, unsigned thread, const WaitStats& stats);
  void add_use(BarrierKind kind, unsigned team_size, std::uint64_t replaced,
               std::uint64_t while_contended);
  void clear();
};

// The counts of team states that are no longer in use. Writers hold the lock that Team::retire takes.
TeamTotals& retired_totals();

// Retired and current teams together. Other threads may still be counting.
const TeamTotals& collect_totals();

// Arrivals at Muster's barriers in regions of that runtime: the counts of teams that were since used by another
// runtime or retired, and of its current teams.
std::uint64_t arrivals_of(Runtime& runtime);

}  // namespace muster
