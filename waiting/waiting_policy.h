// What a waiting policy is: phase one of two-phase waiting (Tsafrir & Feitelson, section 2), how a thread spends its
// time before it blocks. Phase two, sleeping on the team's futex word, belongs to the Waiter.
#pragma once

#include <concepts>
#include <cstdint>

#include "options/table.h"
#include "waiting/arrivals.h"
#include "waiting/episode.h"
#include "waiting/wait_stats.h"

namespace muster {

class LoadSensor;
class Turns;

// What a policy is made from, per team. Times in ns; 0 = not known or not set.
struct WaitParameters {
  WaitKind wait = WaitKind::kAuto;  // what AnyPolicy is made of
  unsigned team_size = 1;
  // The number of CPUs of all threads of the team if each is bound to its own; 0 if they are not bound: then every
  // thread may use the CPUs of its affinity mask.
  unsigned bound_cpus = 0;
  // The user's settings. By default a policy changes neither CPUs nor slices.
  Settings settings{.slice_ns = 0, .place = false};
  LoadSensor* load_sensor = nullptr;  // for `auto`; null = nothing is known of the machine
  Turns* turns = nullptr;  // for `auto`, with other processes (turns/turns.h); null = none
  std::uint64_t context_switch_ns = 0;  // CS (waiting/calibration.h)
  std::uint64_t wake_ns = 0;            // W, to wake and schedule a sleeper (same)
  std::uint64_t fixed_ns = 0;           // for `<n>us`; what is a share of CS is set from that
};

// One wait of one thread at one instance, as passed to its policy.
template <class Memory>
struct Wait {
  Arrivals<Memory>& arrivals;
  unsigned me;
  Episode episode;
  std::uint64_t start_ns;
  WaitStats& stats;
  bool between_regions = false;  // for the next folded region: as long as the program's serial part
};

namespace detail {
struct AlwaysDone {
  bool operator()() const { return true; }
};
}  // namespace detail

// One object serves all threads of a team, so all its variable state is atomic.
//
//   kUsesArrivals, or uses_arrivals()
//                   whether it ever reads the team's arrivals; if so, records_arrivals() tells whether threads should
//                   record theirs now
//   quick_polls()   whether to poll some 160 times before the clock is read
//   spins_first()   whether phase one is a spin at all; if not, SSR is 0
//   spin(wait, done)
//                   phase one: true as soon as done() holds, false when the thread should block. A policy that never
//                   blocks returns false all the same under a real-time policy of the scheduler.
// A policy may also have
//   arrives<Memory>(me, episode, stats)
//                   called before a thread arrives: it may sleep there
//   note_gap(ns)    called after phase two of a wait between regions, with the length of the whole wait
//   load_sensor()   which counts the threads that sleep; may be null
//   kFencesFully, or fences_fully()
//                   true of a policy without arrivals whose sleepers and wakers both use full fences (sleep_word.h)
template <class Policy, class Memory>
concept WaitingPolicy =
    requires(Policy policy, const WaitParameters& parameters, const Wait<Memory>& wait) {
      requires std::constructible_from<Policy, const WaitParameters&>;
      { policy.quick_polls() } -> std::same_as<bool>;
      { policy.spins_first() } -> std::same_as<bool>;
      { policy.template spin<Memory>(wait, detail::AlwaysDone{}) } -> std::same_as<bool>;
    };

template <class Policy>
constexpr bool uses_arrivals(const Policy& policy) {
  if constexpr (requires { Policy::kUsesArrivals; }) {
    return Policy::kUsesArrivals;
  } else {
    return policy.uses_arrivals();
  }
}

template <class Policy>
constexpr bool records_arrivals(const Policy& policy) {
  if constexpr (requires { policy.records_arrivals(); }) {
    return policy.records_arrivals();
  } else {
    return false;
  }
}

// uses_arrivals() of the policy that these parameters make.
template <class Policy>
constexpr bool uses_arrivals(const WaitParameters& parameters) {
  if constexpr (requires { Policy::kUsesArrivals; }) {
    return Policy::kUsesArrivals;
  } else {
    return Policy::uses_arrivals_with(parameters);
  }
}

template <class Policy>
constexpr bool fences_fully(const Policy& policy) {
  if constexpr (requires { Policy::kFencesFully; }) {
    return Policy::kFencesFully;
  } else if constexpr (requires { policy.fences_fully(); }) {
    return policy.fences_fully();
  } else {
    return false;
  }
}

}  // namespace muster
