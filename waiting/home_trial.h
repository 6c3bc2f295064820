// Whether a team that takes turns with other processes (turns/turns.h) goes to CPUs of its own in its turns.
//
// It does unless somebody wants them who takes no turns. A thread beside such a competitor has half a CPU, its whole team
// waits for it, and other CPUs may be idle meanwhile: there the kernel places threads better. But if competitors want all
// CPUs, it wakes threads where teammates run. So where a competitor has lately had a CPU for long, leaving the threads
// to the kernel is a trial (waiting/trial.h), in the time of the team's own turns.
#pragma once

#include <atomic>
#include <cstdint>

#include "turns/tuning.h"
#include "waiting/episode.h"
#include "waiting/trial.h"

namespace muster {

class HomeTrial {
 public:
  // For any thread. Relaxed: one that reads an old value goes home once more or less.
  bool at_home() const { return at_home_.load(std::memory_order_relaxed); }

  // Called by one thread of the team at its arrivals. Its first one in another's turn ends the team's own: only then
  // has_competitor() is called.
  template <class HasCompetitor>
  void arrive(std::uint64_t now_ns, Episode episode, bool is_off, HasCompetitor&& has_competitor) {
    const std::uint64_t turn = now_ns / turns_tuning::kTurnNs;
    if (turn == turn_) return;
    turn_ = turn;
    if (is_own_) own_ns_ += turns_tuning::kTurnNs;
    is_own_ = !is_off;
    if (!is_off) return;
    const bool competitor = has_competitor();
    if (at_home() && competitor) {
      if (!trial_.may_begin(own_ns_, episode)) return;
      trial_.begin(own_ns_, episode);
      at_home_.store(false, std::memory_order_relaxed);
    } else if (!competitor || trial_.judge(own_ns_, episode, false) == Verdict::kFails) {
      trial_.forget();
      at_home_.store(true, std::memory_order_relaxed);
    }
  }

 private:
  std::atomic<bool> at_home_{true};
  // Only for the thread that calls arrive().
  Trial trial_;
  std::uint64_t turn_ = 0;
  std::uint64_t own_ns_ = turns_tuning::kTurnNs;  // of all own turns, and not 0
  bool is_own_ = false;
};

}  // namespace muster
