// What a waiting policy is: phase one of two-phase waiting (Tsafrir & Feitelson, section 2): how a
// thread spends its time before it blocks. Phase two, sleeping on the team's futex word, is the
// Waiter's.
#pragma once

#include <concepts>
#include <cstdint>

#include "waiting/wait_stats.h"

namespace muster {

// What a policy is made from, per team.
struct WaitParameters {
  std::uint64_t budget_ns = 0;  // for fixed budgets, and the spinning of `auto`
  unsigned team_size = 1;
  // The CPUs of all the team's threads together where each is bound to its own; 0 where they are
  // not bound: then every thread may use what its affinity mask says.
  unsigned bound_cpus = 0;
};

namespace detail {
struct AlwaysDone {
  bool operator()() const { return true; }
};
}  // namespace detail

// One object serves all threads of a team, so whatever changes in it is atomic.
//
//   quick_polls()   whether to look a few dozen times before the clock is read (well below 1 us)
//   spins_first()   whether phase one is a spin at all; SSR counts only waits that begin with one
//   spin(start_ns, done, stats)
//                   phase one, begun at start_ns: true as soon as done() holds, false when the
//                   thread should block. A policy that never blocks never returns false.
template <class Policy, class Memory>
concept WaitingPolicy =
    requires(Policy policy, const WaitParameters& parameters, WaitStats& stats) {
      requires std::constructible_from<Policy, const WaitParameters&>;
      { policy.quick_polls() } -> std::same_as<bool>;
      { policy.spins_first() } -> std::same_as<bool>;
      {
        policy.template spin<Memory>(std::uint64_t{}, detail::AlwaysDone{}, stats)
      } -> std::same_as<bool>;
    };

}  // namespace muster
