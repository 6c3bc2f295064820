// One thread at one barrier instance: two-phase waiting with any policy, on any Memory.
#pragma once

#include <cstdint>

#include "waiting/call_off.h"
#include "waiting/condition.h"
#include "waiting/episode.h"
#include "waiting/quick_polls.h"
#include "waiting/sleep_word.h"
#include "waiting/wait_stats.h"
#include "waiting/waiting_policy.h"

namespace muster {

template <class MemoryType, class Policy>
  requires WaitingPolicy<Policy, MemoryType>
class Waiter {
 public:
  using Memory = MemoryType;

  // To be made on arrival, before the algorithm publishes it. The wait ends if the instance `ended_by` is called off:
  // this one or, for a release, the gather before it (barriers/barrier_state.h); kNoEpisode: none.
  Waiter(Policy& policy, Arrivals<Memory>& arrivals, const CallOff<Memory>& call_off, unsigned me,
         Episode episode, Episode ended_by, WaitStats& stats)
      : policy_(policy),
        arrivals_(arrivals),
        call_off_(call_off),
        me_(me),
        episode_(episode),
        ended_by_(ended_by),
        stats_(stats) {
    if constexpr (requires { policy_.template arrives<Memory>(me, episode, stats); })
      policy_.template arrives<Memory>(me, episode, stats);
    if (uses_arrivals(policy_)) {
      if (records_arrivals(policy_)) [[unlikely]]
        arrivals_.arrive(me, episode);
      agreed_ = arrivals_.agreed().at(episode);
    } else if (fences_fully(policy_)) {
      agreed_ = kFullFences;
    }
  }

  // To be called before wait() where that lasts until the next folded region.
  void awaits_region() { between_regions_ = true; }

  // Waits until holds(), which reads shared words with acquire; threads that make it true look for sleepers at `word`.
  // False if the instance was called off before: the caller then leaves the barrier as it is.
  template <class Holds>
  bool wait(Holds&& holds, SleepWord<Memory>& word) {
    if (holds()) return true;
    if (called_off()) return false;
    begin();
    if (policy_.quick_polls() && holds_soon<Memory>(holds)) return true;
    const auto done = [&] { return holds() || called_off(); };
    wait_on(Condition(done), word);
    return holds();
  }

  // Wakes sleepers. To be called after the store that ends their wait.
  void wake(SleepWord<Memory>& word) { word.wake(stats_, full_fences()); }

  // The same without waking: whether a thread may be asleep.
  bool somebody_sleeps(const SleepWord<Memory>& word) const {
    return word.somebody_sleeps(full_fences());
  }

  // Whether holds() becomes true within the quick polls, if the policy has them. If not, the wait has only begun.
  template <class Holds>
  bool wait_quickly(Holds&& holds) {
    if (holds()) return true;
    begin();
    return policy_.quick_polls() && holds_soon<Memory>(holds);
  }

  // Whether the team is contended: the same answer for all threads of an instance (waiting/agreed_bits.h).
  bool contended() const { return (agreed_ & kContended) != 0; }
  Tally& failed_updates() { return stats_.failed_updates; }  // arrivals by compare-and-swap

  // To be called once, when the thread leaves the instance: counts it, and returns whether it was released.
  [[gnu::always_inline]] bool leave(bool released, Counted counted = Counted::kBarrier) {
    if (released && called_off()) released = false;
    if (released && counted == Counted::kBarrier) {
      stats_.barriers.add();
      if (!waited_) stats_.arrived_last.add();
      if (contended()) [[unlikely]]
        stats_.contended.add();
    }
    if (!waited_) return released;
    stats_.wait_ends();
    if (spun_ && !blocked_) stats_.spins_succeeded.add();
    if (start_ns_ == 0)
      stats_.histogram[0].add();
    else
      stats_.waited(start_ns_, Memory::now_ns());
    return released;
  }

 private:
  // The remainder of both phases. Out of line: one copy per policy, not one per caller.
  [[gnu::noinline]] void wait_on(Condition done, SleepWord<Memory>& word) {
    const std::uint64_t now_ns = Memory::now_ns();
    if (start_ns_ == 0) start_ns_ = now_ns;
    const Wait<Memory> wait{arrivals_, me_, episode_, now_ns, stats_, between_regions_};
    if (policy_.template spin<Memory>(wait, done)) return;
    blocked_ = true;
    LoadSensor* sensor = nullptr;
    if constexpr (requires { policy_.load_sensor(); }) sensor = policy_.load_sensor();
    word.sleep_until(done, stats_, full_fences(), sensor);
    if constexpr (requires { policy_.note_gap(now_ns); }) {
      if (between_regions_) policy_.note_gap(Memory::now_ns() - now_ns);
    }
  }

  bool full_fences() const { return (agreed_ & kFullFences) != 0; }
  bool called_off() const { return ended_by_ != kNoEpisode && call_off_.applies_to(ended_by_); }

  void begin() {
    if (waited_) return;
    waited_ = true;
    spun_ = policy_.spins_first();
    stats_.wait_begins(spun_);
  }

  Policy& policy_;
  Arrivals<Memory>& arrivals_;
  const CallOff<Memory>& call_off_;
  const unsigned me_;
  const Episode episode_;
  const Episode ended_by_;
  WaitStats& stats_;
  std::uint64_t start_ns_ = 0;  // 0 = no clock read yet
  unsigned agreed_ = 0;         // bits of waiting/agreed_bits.h
  bool between_regions_ = false;
  bool waited_ = false;
  bool spun_ = false;
  bool blocked_ = false;
};

}  // namespace muster
