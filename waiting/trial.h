// Whether a place pays: instances per second at it against those before, with a bound on what trying may lose.
//
// The decision is made on the program's threads, so all is computed in integers: floating point would leave exception
// flags in the thread, or trap.
//
// Lost work is counted as the time in which the team would have done it at its former rate. From t = 50 ms on, a team
// that has lived for t has lost at most t / 10 by trials, apart from the time until a thread notices it
// (waiting/tuning.h). So a trial starts when at least 5 ms may be lost, and ends when they are. Each trial that failed
// halves the allowance, so that what does not pay is tried less and less often, and doubles what the next one may lose,
// up to 25 ms: beside competitors the first milliseconds at a place are a matter of luck, since each of their turns is
// as long, and the kernel takes tens of milliseconds to move them away.
#pragma once

#include <algorithm>
#include <cstdint>

#include "waiting/episode.h"
#include "waiting/place.h"
#include "waiting/tuning.h"

namespace muster {

// Only for the thread that decides. Times in ns.
class Trial {
 public:
  // Called now and then while the team is where the kernel puts it and another place may suit it. True if a trial may
  // begin.
  bool may_begin(std::uint64_t now_ns, Episode episode) {
    const std::uint64_t length_ns = now_ns - since_ns_;
    if (since_ns_ == 0 || now_ns < since_ns_) {
      begin_window(now_ns, episode);
    } else if (length_ns >= tuning::kWindowNs) {
      const std::uint64_t instances = instances_until(episode);
      instance_ps_ =
          instances != 0 ? std::min(length_ns, kLongestNs) * kPsPerNs / instances : kNoHeadway;
      if (length_ns >= tuning::kMostWindows * tuning::kWindowNs) begin_window(now_ns, episode);
      return budget_ns(now_ns) >= least_loss_ns();
    }
    return false;
  }

  void begin(std::uint64_t now_ns, Episode episode) {
    begin_window(now_ns, episode);
    budget_ns_ = budget_ns(now_ns);
    pays_ = false;
  }

  // Of the present place. A place that pays is judged again and again: the work may change. `ends`: the team has to
  // leave the place now.
  Verdict judge(std::uint64_t now_ns, Episode episode, bool ends) {
    // Without a trial there is nothing to compare with; or the clock went back.
    if (since_ns_ == 0 || now_ns < since_ns_) return Verdict::kFails;
    const std::uint64_t length_ns = now_ns - since_ns_;
    const std::uint64_t before_ns = at_former_rate_ns(episode, length_ns);
    const auto lost_ns = static_cast<std::int64_t>(length_ns - std::min(before_ns, length_ns));
    const std::uint64_t must_gain_ns = pays_ ? 0 : length_ns / 100 * tuning::kMustGainPercent;
    const bool gains = before_ns > length_ns + must_gain_ns;
    const bool is_over = ends || length_ns >= tuning::kMostWindows * tuning::kWindowNs;
    if (lost_ns > budget_ns_ || (is_over && !gains)) {
      lost_ns_ += lost_ns;
      ++failures_;
      return Verdict::kFails;
    }
    if (!gains || (length_ns < tuning::kWindowNs && !ends)) return Verdict::kOpen;
    begin(now_ns, episode);
    pays_ = true;
    failures_ = 0;
    return Verdict::kPays;
  }

  // Forgets the rate: the situation has changed.
  void forget() { since_ns_ = 0; }

 private:
  static constexpr unsigned kMostFailures = 16;
  static constexpr std::uint64_t kPsPerNs = 1'000;
  static constexpr std::uint64_t kLongestNs = ~std::uint64_t{0} / kPsPerNs;  // seven months
  static constexpr std::uint64_t kNoHeadway = 0;
  static constexpr std::uint64_t kLeastTrialNs = tuning::kLeastLifetimeNs / tuning::kBudgetDivisor;

  void begin_window(std::uint64_t now_ns, Episode episode) {
    if (born_ns_ == 0 || now_ns < born_ns_) {
      born_ns_ = now_ns;
      lost_ns_ = 0;
    }
    since_ns_ = now_ns;
    since_ = episode;
  }

  // In the present window. None for a thread that is still at an earlier instance than the one that began the window.
  std::uint64_t instances_until(Episode episode) const {
    return episode > since_ ? episode - since_ : 0;
  }

  // What the team has done in the present window, of `length_ns`, as the time that this took at its former rate.
  std::uint64_t at_former_rate_ns(Episode episode, std::uint64_t length_ns) const {
    const std::uint64_t instances = instances_until(episode);
    if (instance_ps_ == kNoHeadway) return instances != 0 ? kLongestNs : length_ns;
    std::uint64_t duration_ps = 0;
    if (__builtin_mul_overflow(instances, instance_ps_, &duration_ps)) return kLongestNs;
    return duration_ps / kPsPerNs;
  }

  // What a trial must be allowed to lose before it begins.
  std::int64_t least_loss_ns() const {
    return static_cast<std::int64_t>(
        std::min(kLeastTrialNs << std::min(failures_, kMostFailures), tuning::kWindowNs));
  }

  std::int64_t budget_ns(std::uint64_t now_ns) const {
    const std::uint64_t lifetime_ns = std::max(now_ns - born_ns_, tuning::kLeastLifetimeNs);
    const std::uint64_t allowance_ns = lifetime_ns / tuning::kBudgetDivisor;
    return static_cast<std::int64_t>(allowance_ns >> std::min(failures_, kMostFailures)) - lost_ns_;
  }

  std::uint64_t born_ns_ = 0;   // when the team was first looked at
  std::uint64_t since_ns_ = 0;  // the present window; 0: none
  Episode since_ = 0;
  // The time between two instances before the trial, in ps: in ns, that of the fastest barriers would be rounded by 1 %.
  std::uint64_t instance_ps_ = kNoHeadway;
  std::int64_t budget_ns_ = 0;  // of the present trial
  std::int64_t lost_ns_ = 0;    // by all trials
  unsigned failures_ = 0;       // since a trial paid
  bool pays_ = false;
};

}  // namespace muster
