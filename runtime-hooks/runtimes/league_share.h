// The same for `distribute parallel for` in one call, __kmpc_dist_for_static_init_*: the league's teams share the loop,
// each in one chunk, and the threads of a team share its chunk. The answer is false also for an empty loop, which
// compilers do not begin, and for a schedule that the runtime does not know here.
#pragma once

#include "runtime-hooks/runtimes/loop_share.h"

namespace muster {

template <class T>
struct LeagueLoop : Loop<T> {
  T team_upper;  // of the team's chunk
};

// The chunk of a team that has one; how many iterations it has.
template <class T>
typename Loop<T>::Unsigned take_teams_chunk(LeagueLoop<T>& loop, typename Loop<T>::Signed step,
                                            typename Loop<T>::Unsigned trips, LoopPlace team) {
  const BalancedShare<typename Loop<T>::Unsigned> share(trips, team);
  loop.move_lower(share.begin * static_cast<typename Loop<T>::Unsigned>(step));
  loop.team_upper = loop.end_of(share.size, step);
  loop.last = team.number == team.count - 1;
  return share.size;
}

// A team has one iteration at most, which its primary thread executes.
template <class T>
void take_one(LeagueLoop<T>& loop, typename Loop<T>::Signed step, typename Loop<T>::Unsigned trips,
              LoopPlace team, LoopPlace thread) {
  using Unsigned = typename Loop<T>::Unsigned;
  if (thread.number == 0 && team.number < trips) {
    loop.move_lower(team.number * static_cast<Unsigned>(step));
    loop.upper = loop.lower;
  } else {
    loop.lower = static_cast<T>(static_cast<Unsigned>(loop.upper) + static_cast<Unsigned>(step));
  }
  loop.team_upper = loop.upper;
  loop.last = thread.number == 0 && team.number == trips - 1;
}

template <class T>
bool take_league_share(LeagueLoop<T>& loop, std::int32_t schedule, typename Loop<T>::Signed step,
                       typename Loop<T>::Signed chunk, LoopPlace team, LoopPlace thread) {
  using Unsigned = typename Loop<T>::Unsigned;
  if (schedule != kStatic && (schedule != kStaticChunked || chunk == 0)) return false;
  if (step == 0 || team.count <= 1 || thread.count <= 1 || loop.is_empty(step)) return false;
  const auto wide_step = static_cast<Unsigned>(step);
  Unsigned trips = loop.trips(step);
  if (trips == 0) return false;
  loop.stride = static_cast<typename Loop<T>::Signed>(static_cast<Unsigned>(loop.upper) -
                                                      static_cast<Unsigned>(loop.lower));
  if (trips <= team.count) {
    take_one(loop, step, trips, team, thread);
    return true;
  }
  trips = take_teams_chunk(loop, step, trips, team);
  std::uint32_t who_is_last = thread.count - 1;
  if (schedule == kStaticChunked) {
    const auto size = chunk < 0 ? Unsigned{1} : static_cast<Unsigned>(chunk);
    const Unsigned span = size * wide_step;
    loop.stride = static_cast<typename Loop<T>::Signed>(span * thread.count);
    loop.move_lower(span * thread.number);
    loop.upper = loop.end_of(size, step);
    who_is_last = static_cast<std::uint32_t>((trips - 1) / size % thread.count);
  } else if (trips > thread.count) {
    const BalancedShare<Unsigned> share(trips, thread);
    loop.move_lower(share.begin * wide_step);
    loop.upper = loop.end_of(share.size, step);
  } else {
    who_is_last = static_cast<std::uint32_t>(trips - 1);
    if (thread.number < trips) {
      loop.move_lower(thread.number * wide_step);
      loop.upper = loop.lower;
    } else {
      loop.lower = static_cast<T>(static_cast<Unsigned>(loop.upper) + wide_step);
    }
  }
  loop.last = loop.last != 0 && thread.number == who_is_last;
  return true;
}

}  // namespace muster
