// Loops with a static schedule in code compiled by clang, flang or Intel's compilers. The runtime would compute the
// thread's share from its place and the arguments, and prepare traces of it: 0.3 to 0.6 us in the builds with checks
// that Debian ships. Muster computes the same (loop_share.h) where it is certain of the result. All else is passed on,
// and a call that is passed on leaves no frame of its own.
#include "options/settings.h"
#include "platform/tail_call.h"
#include "preload/entry.h"
#include "runtime-hooks/runtimes/league_share.h"
#include "runtime-hooks/teams/loop_place.h"

namespace muster {
namespace {

template <class T>
using Signed = typename Loop<T>::Signed;

// Calls compute(), if the thread's place is known, and counts its answer.
template <class Compute>
bool counted(const Runtime& runtime, abi::GlobalThread thread, Compute compute) {
  ThreadState* state = t_thread_state;
  if (state == nullptr || !settings().loops) return false;
  const bool computed = knows_place(*state, runtime, thread) && compute();
  (computed ? state->loops_computed : state->loops_passed).add();
  return computed;
}

template <class T>
void set(const Loop<T>& share, std::int32_t* last, T* lower, T* upper, Signed<T>* stride) {
  *lower = share.lower;
  *upper = share.upper;
  *stride = share.stride;
  *last = share.last;
}

// Not inlined, and all by value: an entry point ends in a jump, so nothing may point to its stack.
template <class T>
__attribute__((noinline)) bool share(const Runtime& runtime, abi::GlobalThread thread,
                                     std::int32_t schedule, std::int32_t* last, T* lower, T* upper,
                                     Signed<T>* stride, Signed<T> step, Signed<T> chunk) {
  return counted(runtime, thread, [=, &runtime] {
    if (last == nullptr) return false;
    const bool of_league = schedule == kDistribute || schedule == kDistributeChunked;
    const LoopPlace place = of_league ? place_in_league(runtime.real) : place_in_team(runtime.real);
    const std::int32_t kind = of_league ? schedule - kDistribute + kStatic : schedule;
    Loop<T> loop{*lower, *upper, *stride, 0};
    if (!take_share(loop, kind, step, chunk, place)) return false;
    set(loop, last, lower, upper, stride);
    return true;
  });
}

template <class T>
__attribute__((noinline)) bool share_in_league(const Runtime& runtime, abi::GlobalThread thread,
                                               std::int32_t schedule, std::int32_t* last, T* lower,
                                               T* upper, T* team_upper, Signed<T>* stride,
                                               Signed<T> step, Signed<T> chunk) {
  return counted(runtime, thread, [=, &runtime] {
    if (last == nullptr) return false;
    const LoopPlace team = place_in_league(runtime.real);
    const LoopPlace place = place_in_team(runtime.real);
    LeagueLoop<T> loop{{*lower, *upper, *stride, 0}, 0};
    if (!take_league_share(loop, schedule, step, chunk, team, place)) return false;
    set<T>(loop, last, lower, upper, stride);
    *team_upper = loop.team_upper;
    return true;
  });
}

// The runtime whose function the caller would have reached. No fold of it is open between two regions.
const Runtime& runtime_of_loop(const char* symbol, const void* caller) {
  entering(symbol, caller);
  return runtime_of(caller, symbol);
}

}  // namespace
}  // namespace muster

using namespace muster;

#define MUSTER_LOOP_ENTRY(name, T)                                                                 \
  MUSTER_ENTRY void name(abi::Ident* where, abi::GlobalThread thread, std::int32_t schedule,       \
                         std::int32_t* last, T* lower, T* upper, Signed<T>* stride,                \
                         Signed<T> step, Signed<T> chunk) {                                        \
    const Runtime& runtime = runtime_of_loop(#name, MUSTER_CALLER);                                \
    if (share<T>(runtime, thread, schedule, last, lower, upper, stride, step, chunk)) return;      \
    MUSTER_TAIL_CALL return required(runtime.real.name, #name)(where, thread, schedule, last,      \
                                                               lower, upper, stride, step, chunk); \
  }
#define MUSTER_LEAGUE_LOOP_ENTRY(name, T)                                                          \
  MUSTER_ENTRY void name(abi::Ident* where, abi::GlobalThread thread, std::int32_t schedule,       \
                         std::int32_t* last, T* lower, T* upper, T* team_upper, Signed<T>* stride, \
                         Signed<T> step, Signed<T> chunk) {                                        \
    const Runtime& runtime = runtime_of_loop(#name, MUSTER_CALLER);                                \
    if (share_in_league<T>(runtime, thread, schedule, last, lower, upper, team_upper, stride,      \
                           step, chunk)) {                                                         \
      return;                                                                                      \
    }                                                                                              \
    MUSTER_TAIL_CALL return required(runtime.real.name, #name)(                                    \
        where, thread, schedule, last, lower, upper, team_upper, stride, step, chunk);             \
  }

MUSTER_LOOP_ENTRY(__kmpc_for_static_init_4, std::int32_t)
MUSTER_LOOP_ENTRY(__kmpc_for_static_init_4u, std::uint32_t)
MUSTER_LOOP_ENTRY(__kmpc_for_static_init_8, std::int64_t)
MUSTER_LOOP_ENTRY(__kmpc_for_static_init_8u, std::uint64_t)
MUSTER_LEAGUE_LOOP_ENTRY(__kmpc_dist_for_static_init_4, std::int32_t)
MUSTER_LEAGUE_LOOP_ENTRY(__kmpc_dist_for_static_init_4u, std::uint32_t)
MUSTER_LEAGUE_LOOP_ENTRY(__kmpc_dist_for_static_init_8, std::int64_t)
MUSTER_LEAGUE_LOOP_ENTRY(__kmpc_dist_for_static_init_8u, std::uint64_t)
