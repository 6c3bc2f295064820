// Which algorithm `auto` selects for a team, and the layout of a team's state on this machine.
#pragma once

#include "barriers/layout.h"
#include "options/barrier_names.h"
#include "platform/topology.h"

namespace muster {

// The table of docs/understand/barriers.md ("What `auto` selects"), which tells what was measured and what was not.
inline constexpr unsigned kTreePaysAbove = 512;

constexpr BarrierKind choose_barrier(unsigned team, unsigned cpus) {
  if (team > cpus) return BarrierKind::kFetchAddXadd;
  if (team <= 2) return BarrierKind::kDistCounterPadded;
  return team <= kTreePaysAbove ? BarrierKind::kDisseminationOrCounter : BarrierKind::kTree;
}

inline Layout layout_for(const Topology& machine) {
  Layout layout;
  if (machine.cache_line > layout.stride) layout.stride = std::bit_ceil(machine.cache_line);
  unsigned level = 0;
  // A wide level (sixty-four cores on one cache) is split: one leader that gathers so many elements in sequence would
  // be slower than two levels of eight.
  constexpr unsigned kWidest = 8;
  for (unsigned i = 0; i < machine.levels; ++i) {
    unsigned arity = machine.arity[i];
    while (arity > kWidest && level + 2 < kMaxTreeLevels) {
      const unsigned part = arity % 8 == 0 ? 8 : 4;
      layout.radix[level++] = part;
      arity = (arity + part - 1) / part;
    }
    if (arity > 1 && level + 1 < kMaxTreeLevels) layout.radix[level++] = arity;
  }
  if (level > 0) layout.radix[level] = 4;  // more threads than hardware threads
  return layout;
}

}  // namespace muster
