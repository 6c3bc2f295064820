// A reduction by the tree: while the team gathers, its parts are combined in the tree's order (reduction.h).
#pragma once

#include "runtime-hooks/runtimes/reduction.h"
#include "runtime-hooks/teams/barrier_gate.h"
#include "waiting/memory.h"

namespace muster {

// Thread 0 combines the remaining parts, and measures how long that takes for the next reduction.
inline void combine_at_primary(Team& team, unsigned step, abi::Combine combine) {
  const auto data_of = [&](unsigned thread) { return team.reduce_data(thread); };
  const unsigned threads = team.size();
  if (threads <= kFewCombinedByOne) {
    combine_group(data_of, 0, step, threads, combine);
    return;
  }
  const std::uint64_t start_ns = NativeMemory::now_ns();
  combine_group(data_of, 0, step, threads, combine);
  const std::uint64_t combinations = (threads - 1) / step;
  const std::uint64_t took_ns = NativeMemory::now_ns() - start_ns;
  const bool is_long = took_ns > combinations * kLongCombinationNs;
  team.combine_by_one(is_long ? kFewCombinedByOne : kManyCombinedByOne);
}

// Returns with the team gathered and, on thread 0, all parts combined in its data. No thread may leave before the
// release, because the data are on the threads' stacks.
inline void gather_parts(Arrival& arrival, void* data, abi::Combine combine) {
  Team& team = arrival.team();
  const unsigned me = arrival.thread();
  const unsigned threads = team.size();
  const unsigned group = team.combined_by_one();
  const auto data_of = [&](unsigned thread) { return team.reduce_data(thread); };
  arrival.frame().me->reduce_data = data;
  unsigned step = 1;
  for (; step * group < threads; step *= group) {
    arrival.meet();
    const unsigned end = me + step * group;
    if (me % (step * group) == 0) {
      combine_group(data_of, me, step, end < threads ? end : threads, combine);
    }
  }
  arrival.gather();
  if (arrival.is_primary()) combine_at_primary(team, step, combine);
}

}  // namespace muster
