#include "runtime-hooks/teams/accounting.h"

#include <algorithm>
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
  // Another thread may be counting: what it was contended at is read first.
  const std::uint64_t contended = stats.contended.read();
  const std::uint64_t barriers = std::max(stats.barriers.read(), contended);
  if (kind != BarrierKind::kDisseminationOrCounter) {
    add_use(kind, team_size, barriers, contended);
  } else {
    add_use(BarrierKind::kDissemination, team_size, barriers - contended, 0);
    if (contended != 0) add_use(BarrierKind::kFetchAddXadd, team_size, contended, contended);
  }
}

void TeamTotals::add_use(BarrierKind kind, unsigned team_size, std::uint64_t replaced,
                         std::uint64_t while_contended) {
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
  uses[i].replaced.add(replaced);
  uses[i].while_contended.add(while_contended);
}

void TeamTotals::clear() {
  for (unsigned i = 0; i < threads; ++i) by_thread[i].clear();
  for (unsigned size = 0; size <= threads; ++size) by_size[size].clear();
  for (unsigned i = 0; i < use_count; ++i) {
    uses[i].replaced.clear();
    uses[i].while_contended.clear();
  }
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
    totals.add_use(use.kind, use.team_size, use.replaced.read(), use.while_contended.read());
  }
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
