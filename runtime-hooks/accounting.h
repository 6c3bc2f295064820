// Adding up what threads and teams counted, for the report. Teams that change their size hand their
// counts over first, so none is lost and each is credited to the size it was made in.
#pragma once

#include <cstdint>

#include "barriers/layout.h"
#include "barriers/names.h"
#include "waiting/wait_stats.h"

namespace muster {

struct AlgorithmUse {
  BarrierKind kind = BarrierKind::kNative;
  unsigned team_size = 0;
  Tally replaced;  // arrivals
};

inline constexpr unsigned kMaxAlgorithmUses = 256;

// By thread number over all teams, and by algorithm and team size. 0.4 MB of zero pages until used.
struct TeamTotals {
  WaitStats by_thread[kMaxTeam];
  AlgorithmUse uses[kMaxAlgorithmUses];  // when it is full, further sizes are added to the last
  unsigned use_count = 0;
  unsigned threads = 0;  // the largest team

  void add_member(BarrierKind kind, unsigned team_size, unsigned thread, const WaitStats& stats);
  void clear();
};

// What retired teams handed over. Writers hold the lock that Team::retire takes.
TeamTotals& retired_totals();

// Retired and living teams together, as they stand now. Others may still be counting.
const TeamTotals& collect_totals();

}  // namespace muster
