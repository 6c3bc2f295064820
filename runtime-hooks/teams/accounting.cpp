#include "runtime-hooks/teams/accounting.h"

#include <atomic>

#include "runtime-hooks/teams/team.h"

namespace muster {

void SizeUse::add_member(const WaitStats& stats) {
  arrivals.add(stats.barriers.read());
  arrived_last.add(stats.arrived_last.read());
  spins_succeeded.add(stats.spins_succeeded.read());
  waits.add(stats.waits());
  blocks.add(stats.blocks.read());
}

void SizeUse::add_to(SizeUse& sum) const {
  sum.arrivals.add(arrivals.read());
  sum.arrived_last.add(arrived_last.read());
  sum.waits.add(waits.read());
  sum.spins_succeeded.add(spins_succeeded.read());
  sum.blocks.add(blocks.read());
}

void SizeUse::clear() {
  arrivals.clear();
  arrived_last.clear();
  waits.clear();
  spins_succeeded.clear();
  blocks.clear();
}

void TeamTotals::add_member(BarrierKind kind, unsigned team_size, unsigned thread,
                            const WaitStats& stats) {
  stats.add_to(by_thread[thread]);
  by_size[team_size].add_member(stats);
  if (team_size > threads) threads = team_size;
  unsigned i = 0;
  while (i < use_count && (uses[i].kind != kind || uses[i].team_size != team_size)) ++i;
  if (i == use_count) {
    if (use_count < kMaxAlgorithmUses) {
      uses[i].kind = kind;
      uses[i].team_size = team_size;
      ++use_count;
    } else {
      i = kMaxAlgorithmUses - 1;
    }
  }
  uses[i].replaced.add(stats.barriers.read());
}

void TeamTotals::clear() {
  for (unsigned i = 0; i < threads; ++i) by_thread[i].clear();
  for (unsigned size = 0; size <= threads; ++size) by_size[size].clear();
  for (unsigned i = 0; i < use_count; ++i) uses[i].replaced.clear();
  use_count = 0;
  threads = 0;
}

TeamTotals& retired_totals() {
  static TeamTotals totals;
  return totals;
}

const TeamTotals& collect_totals() {
  static TeamTotals totals;
  totals.clear();
  const TeamTotals& retired = retired_totals();
  for (unsigned i = 0; i < retired.threads; ++i) retired.by_thread[i].add_to(totals.by_thread[i]);
  for (unsigned size = 0; size <= retired.threads; ++size) {
    retired.by_size[size].add_to(totals.by_size[size]);
  }
  totals.threads = retired.threads;
  for (unsigned i = 0; i < retired.use_count; ++i) {
    const AlgorithmUse& use = retired.uses[i];
    totals.uses[i].kind = use.kind;
    totals.uses[i].team_size = use.team_size;
    totals.uses[i].replaced.add(use.replaced.read());
  }
  totals.use_count = retired.use_count;
  for (const Team* team = newest_team(); team != nullptr; team = team->next_made()) {
    for (unsigned kept = 0; kept < Team::kSizesKept; ++kept) {
      const TeamState& state = team->state(kept);
      const unsigned size = state.size.load(std::memory_order_acquire);
      if (state.ops == nullptr) continue;
      for (unsigned i = 0; i < size; ++i)
        totals.add_member(state.kind, size, i, state.members[i].stats);
    }
  }
  return totals;
}

std::uint64_t arrivals_of(Runtime& runtime) {
  std::uint64_t arrivals =
      std::atomic_ref(runtime.credited_arrivals).load(std::memory_order_relaxed);
  for (const Team* team = newest_team(); team != nullptr; team = team->next_made()) {
    if (!team->is_of(runtime)) continue;
    for (unsigned kept = 0; kept < Team::kSizesKept; ++kept) {
      arrivals += uncredited_arrivals(team->state(kept));
    }
  }
  return arrivals;
}

}  // namespace muster
