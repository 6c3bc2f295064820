// One thread at one barrier instance: two-phase waiting over any policy, on any Memory.
#pragma once

#include <cstdint>

#include "waiting/episode.h"
#include "waiting/interruption.h"
#include "waiting/sleep_word.h"
#include "waiting/wait_stats.h"
#include "waiting/waiting_policy.h"

namespace muster {

template <class MemoryType, class Policy>
  requires WaitingPolicy<Policy, MemoryType>
class Waiter {
 public:
  using Memory = MemoryType;

  Waiter(Policy& policy, const Interruption<Memory>& interruption, Episode episode,
         WaitStats& stats)
      : policy_(policy), interruption_(interruption), episode_(episode), stats_(stats) {}

  // Waits until holds(), which reads shared words with acquire; `word` is where those who make it
  // true look for sleepers. True when it holds, false when the instance was called off before it
  // did: the caller then leaves the barrier as it is.
  template <class Condition>
  bool wait(Condition&& holds, SleepWord<Memory>& word) {
    if (holds()) return true;
    if (interruption_.calls_off(episode_)) return false;
    begin();
    if (policy_.quick_polls() && quickly(holds)) return true;
    const auto done = [&] { return holds() || interruption_.calls_off(episode_); };
    const std::uint64_t now_ns = Memory::now_ns();
    if (start_ns_ == 0) start_ns_ = now_ns;
    if (!policy_.template spin<Memory>(now_ns, done, stats_)) {
      blocked_ = true;
      word.sleep_until(done, stats_);
    }
    return holds();
  }

  // Ends somebody's wait: call after the store that does.
  void wake(SleepWord<Memory>& word) { word.wake(stats_); }

  // Where an arrival by compare-and-swap counts its failures.
  Tally& failed_updates() { return stats_.failed_updates; }

  // To be called once, when the thread leaves the instance: whether it was released and must not go
  // on to another barrier for this instance. Counts it.
  bool leave(bool released) {
    if (released && interruption_.calls_off(episode_)) released = false;
    if (released) {
      stats_.barriers.add();
      if (!waited_) stats_.arrived_last.add();
    }
    if (!waited_) return released;
    if (spun_ && !blocked_) stats_.spins_succeeded.add();
    if (start_ns_ == 0) {
      stats_.histogram[0].add();
    } else {
      const std::uint64_t waited_ns = Memory::now_ns() - start_ns_;
      stats_.waited_ns.add(waited_ns);
      stats_.longest_wait_ns.raise_to(waited_ns);
      stats_.histogram[wait_bucket(waited_ns)].add();
    }
    return released;
  }

 private:
  void begin() {
    if (waited_) return;
    waited_ = true;
    spun_ = policy_.spins_first();
    if (spun_) stats_.spins_begun.add();
  }

  // The first polls follow each other without a pause: on an idle machine the release is one line
  // crossing away, and a pause could take longer than that.
  template <class Condition>
  bool quickly(Condition&& holds) {
    for (unsigned poll = 0; poll < kBarePolls; ++poll) {
      if (holds()) return true;
    }
    for (unsigned poll = 0; poll < kPausedPolls; ++poll) {
      Memory::pause();
      if (holds()) return true;
    }
    return false;
  }

  static constexpr unsigned kBarePolls = 64;
  static constexpr unsigned kPausedPolls = 32;

  Policy& policy_;
  const Interruption<Memory>& interruption_;
  const Episode episode_;
  WaitStats& stats_;
  std::uint64_t start_ns_ = 0;  // 0 = no clock read yet
  bool waited_ = false;
  bool spun_ = false;
  bool blocked_ = false;
};

}  // namespace muster
