// A team's part in turns between processes (turns/turns.h): before a thread arrives, and while it waits.
#pragma once

#include <atomic>
#include <cstdint>

#include "platform/cpus.h"
#include "turns/turns.h"
#include "waiting/contention.h"
#include "waiting/episode.h"
#include "waiting/home_trial.h"
#include "waiting/waiting_policy.h"

namespace muster {

class TeamTurns {
 public:
  explicit TeamTurns(const WaitParameters& parameters)
      : turns_(parameters.turns),
        may_move_(parameters.settings.place && parameters.bound_cpus == 0) {}

  bool in_force() const { return turns_ != nullptr && turns_->in_force(); }

  // Before a thread arrives, while in force: sleeps while it is another process's turn. In the first part of its turn
  // it goes to the CPU that is its own, unless home_trial.h is against it. If the kernel moves it away later, somebody
  // who takes no turns wants that CPU.
  template <class Memory>
  [[gnu::noinline]] void arrive(unsigned me, Episode episode, Contention& contention,
                                WaitStats& stats) {
    const unsigned skip = skip_.load(std::memory_order_relaxed);
    if ((episode & skip) != 0) return;
    const std::uint64_t now_ns = Memory::now_ns();
    const bool must_sleep = turns_->must_sleep(now_ns);
    if (me == 0) {
      adapt(now_ns, skip);
      if (may_move_) {
        home_.arrive(now_ns, episode, must_sleep, [&] {
          return contention.exceeds_cpus_lately() && contention.competitor_seen_lately(now_ns);
        });
      }
    }
    // Before it sleeps, so that it wakes where its CPU will be free.
    if (must_sleep || Turns::has_just_begun(now_ns)) go_home<Memory>(me, now_ns);
    if (must_sleep) {
      LoadSensor* const sensor = contention.load_sensor();
      if (sensor != nullptr) sensor->fell_asleep();
      const std::uint64_t slept_ns = turns_->template sleep<Memory>(now_ns);
      if (sensor != nullptr) sensor->woke_up(1);
      stats.slept_in_turn(now_ns, slept_ns);
    }
  }

  // For a thread that waits.
  void look(std::uint64_t now_ns, const Contention& contention) {
    if (turns_ != nullptr)
      turns_->look(now_ns, contention.exceeds_cpus() || contention.competitor_near(now_ns));
  }
  // For a thread that waits. Then its teammates sleep before they arrive, and so it will sleep, too.
  template <class Memory>
  bool is_others_turn(unsigned me, std::uint64_t now_ns) {
    if (!in_force() || !turns_->is_off(now_ns)) return false;
    if (skip_.load(std::memory_order_relaxed) != 0) skip_.store(0, std::memory_order_relaxed);
    go_home<Memory>(me, now_ns);
    return true;
  }

 private:
  // A read of the clock takes as long as a tenth of a fast barrier. So the finer the team's grain, the fewer of its
  // arrivals look: about every 10 us.
  void adapt(std::uint64_t now_ns, unsigned skip) {
    constexpr std::uint64_t kLookEveryNs = 10'000;
    constexpr unsigned kMostSkipped = 63;
    const std::uint64_t since_ns = now_ns - looked_ns_.load(std::memory_order_relaxed);
    looked_ns_.store(now_ns, std::memory_order_relaxed);
    if (since_ns < kLookEveryNs / 2 && skip < kMostSkipped) {
      skip_.store(2 * skip + 1, std::memory_order_relaxed);
    } else if (since_ns > 2 * kLookEveryNs && skip != 0) {
      skip_.store(0, std::memory_order_relaxed);
    }
  }

  template <class Memory>
  void go_home(unsigned me, std::uint64_t now_ns) const {
    using Scheduler = typename Memory::Scheduler;
    if (!may_move_ || !home_.at_home()) return;
    const unsigned home = turns_->home(me);
    if (home == Turns::kNoHome || Scheduler::current_cpu() == home) return;
    if (Scheduler::may_ask_scheduler(now_ns)) Scheduler::move_to(home);
  }

  Turns* const turns_;
  const bool may_move_;
  std::atomic<unsigned> skip_{0};  // of instances: a power of two less one
  std::atomic<std::uint64_t> looked_ns_{0};
  HomeTrial home_;
};

}  // namespace muster
