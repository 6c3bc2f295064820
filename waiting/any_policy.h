// The waiting policy of a team, chosen when the team is made. An algorithm is compiled for this class and not once for
// each policy; in libmuster.so once more for `auto`, the default (barriers/native_registry.h). Plain members answer what
// every barrier asks; only what `auto` and `yield` find out during a run is asked of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <type_traits>

#include "options/wait_names.h"
#include "waiting/auto_wait.h"
#include "waiting/block.h"
#include "waiting/conditional.h"
#include "waiting/fixed_time.h"
#include "waiting/random.h"
#include "waiting/spin.h"
#include "waiting/yield.h"

namespace muster {

class AnyPolicy {
 private:
  template <class Visitor>
  auto visit(Visitor&& visitor) {
    switch (kind_) {
#define MUSTER_CASE(symbol, name, Policy, ...) \
  case WaitKind::symbol:                       \
    return visitor(as<Policy>());
      MUSTER_WAITS(MUSTER_CASE)
#undef MUSTER_CASE
    }
    __builtin_unreachable();
  }

  // Apart, so that a thread's stack has the frame of its own policy and not of the largest.
  template <class Policy, class Memory, class Done>
  [[gnu::noinline]] static bool spin_as(Policy& policy, const Wait<Memory>& wait, Done&& done) {
    return policy.template spin<Memory>(wait, done);
  }

 public:
  explicit AnyPolicy(const WaitParameters& parameters) : kind_(parameters.wait) {
    visit([&]<class Policy>(Policy& place) {
      const auto* policy = ::new (static_cast<void*>(&place)) Policy(with_share(parameters));
      spins_first_ = policy->spins_first();
      fences_fully_ = muster::fences_fully(*policy);
      uses_arrivals_ = Policy::kUsesArrivals;
    });
  }
  AnyPolicy(const AnyPolicy&) = delete;
  AnyPolicy& operator=(const AnyPolicy&) = delete;

  static bool uses_arrivals_with(const WaitParameters& parameters) {
#define MUSTER_USES(symbol, name, Policy, ...) Policy::kUsesArrivals,
    static constexpr bool kUse[] = {MUSTER_WAITS(MUSTER_USES)};
#undef MUSTER_USES
    return kUse[static_cast<int>(parameters.wait)];
  }

  bool uses_arrivals() const { return uses_arrivals_; }
  bool fences_fully() const { return fences_fully_; }
  bool spins_first() const { return spins_first_; }
  bool records_arrivals() const {
    return kind_ == WaitKind::kAuto ? as<AutoWait>().records_arrivals() : uses_arrivals_;
  }
  bool quick_polls() const {
    if (kind_ == WaitKind::kAuto) return as<AutoWait>().quick_polls();
    if (kind_ == WaitKind::kYield) return as<Yield>().quick_polls();
    return spins_first_;
  }

  // Whether this Memory has what the policy needs: `auto` and `yield` need a scheduler (waiting/scheduler.h). On a
  // Memory without one they are left out of spin(), which must not be called for them.
  template <class Memory>
  static constexpr bool available_on(WaitKind wait) {
#define MUSTER_AVAILABLE(symbol, name, Policy, ...) WaitingPolicy<Policy, Memory>,
    constexpr bool kAvailable[] = {MUSTER_WAITS(MUSTER_AVAILABLE)};
#undef MUSTER_AVAILABLE
    return kAvailable[static_cast<int>(wait)];
  }

  template <class Memory, class Done>
  bool spin(const Wait<Memory>& wait, Done&& done) {
    return visit([&]<class Policy>(Policy& policy) -> bool {
      if constexpr (WaitingPolicy<Policy, Memory>) {
        return spin_as(policy, wait, done);
      } else {
        __builtin_trap();
      }
    });
  }
  template <class Memory>
    requires HasScheduler<Memory>
  void arrives(unsigned me, Episode episode, WaitStats& stats) {
    if (kind_ == WaitKind::kAuto) as<AutoWait>().template arrives<Memory>(me, episode, stats);
  }
  void note_gap(std::uint64_t ns) {
    if (kind_ == WaitKind::kAuto) as<AutoWait>().note_gap(ns);
  }
  LoadSensor* load_sensor() const {
    return kind_ == WaitKind::kAuto ? as<AutoWait>().load_sensor() : nullptr;
  }

  // The policy itself, which must be of that class.
  template <class Policy>
  const Policy& as() const {
    return *std::launder(reinterpret_cast<const Policy*>(place_));
  }
  template <class Policy>
  Policy& as() {
    return *std::launder(reinterpret_cast<Policy*>(place_));
  }

 private:
  static WaitParameters with_share(WaitParameters parameters) {
    const unsigned thousandths = thousandths_of_switch(parameters.wait);
    if (thousandths != 0) parameters.fixed_ns = parameters.context_switch_ns * thousandths / 1000;
    return parameters;
  }

#define MUSTER_SIZE(symbol, name, Policy, ...) sizeof(Policy),
#define MUSTER_ALIGNMENT(symbol, name, Policy, ...) alignof(Policy),
  static constexpr std::size_t kSize = std::max({MUSTER_WAITS(MUSTER_SIZE) std::size_t{1}});
  static constexpr std::size_t kAlignment =
      std::max({MUSTER_WAITS(MUSTER_ALIGNMENT) std::size_t{1}});
#undef MUSTER_SIZE
#undef MUSTER_ALIGNMENT

  const WaitKind kind_;
  bool uses_arrivals_ = false;
  bool fences_fully_ = false;
  bool spins_first_ = false;
  alignas(kAlignment) unsigned char place_[kSize];
};

static_assert(WaitingPolicy<AnyPolicy, NativeMemory>);
static_assert(std::is_trivially_destructible_v<AutoWait>);

}  // namespace muster
