// The calling thread's place among those that share a loop, as the runtime would find it.
#pragma once

#include "runtime-hooks/runtimes/loop_rules.h"
#include "runtime-hooks/runtimes/loop_share.h"
#include "runtime-hooks/teams/thread_state.h"

namespace muster {

// Whether Muster may compute the thread's share. The thread is in a region of the runtime, so that asking for its place
// does not register it; and it is the one that it says it is: the runtime computes the share of thread `number`.
inline bool knows_place(const ThreadState& state, const Runtime& runtime,
                        abi::GlobalThread number) {
  return runtime.computes_loops && !g_defaults_set.load(std::memory_order_relaxed) &&
         state.top != nullptr && state.top->runtime == &runtime &&
         runtime.real.__kmpc_global_thread_num(nullptr) == number;
}

inline LoopPlace place_in_team(const RealFunctions& real) {
  return {static_cast<std::uint32_t>(real.omp_get_thread_num()),
          static_cast<std::uint32_t>(real.__kmpc_bound_num_threads(nullptr))};
}

// Of the thread's team in its league. A league of one, which is also the answer outside of any, is left to the runtime;
// so are threads of regions within the league's regions, for which the runtime takes another team's number.
inline LoopPlace place_in_league(const RealFunctions& real) {
  if (real.omp_get_level() > 1) return {0, 1};
  return {static_cast<std::uint32_t>(real.omp_get_team_num()),
          static_cast<std::uint32_t>(real.omp_get_num_teams())};
}

}  // namespace muster
