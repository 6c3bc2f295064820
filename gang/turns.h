// Whose turn it is: round robin, each turn as long as its gang's weight says. Arithmetic only.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace gang {

using Clock = std::chrono::steady_clock;

class Turns {
 public:
  // A gang of weight 1 has turns of `slice`.
  Turns(std::chrono::duration<double> slice, const std::vector<double>& weights)
      : slice_(slice), gangs_(weights.size()) {
    for (std::size_t i = 0; i < weights.size(); ++i) gangs_[i].weight = weights[i];
  }

  std::optional<std::size_t> current() const { return current_; }
  Clock::time_point ends() const { return ends_; }
  bool over(Clock::time_point now) const { return !current_ || now >= ends_; }

  // Begins the turn of the next gang that has not ended and `can_run`, which may be the current one again. Empty if
  // there is none.
  std::optional<std::size_t> next(Clock::time_point now,
                                  const std::function<bool(std::size_t)>& can_run) {
    const std::size_t after = current_ ? *current_ : last_;
    stop(now);
    for (std::size_t step = 1; step <= gangs_.size(); ++step) {
      const std::size_t candidate = (after + step) % gangs_.size();
      if (gangs_[candidate].ended || !can_run(candidate)) continue;
      begin(candidate, now);
      return candidate;
    }
    return {};
  }

  // Ends the current turn. No gang has one until next() is called.
  void stop(Clock::time_point now) {
    if (!current_) return;
    gangs_[*current_].time += now - began_;
    last_ = *std::exchange(current_, std::nullopt);
  }

  void end_gang(std::size_t gang, Clock::time_point now) {
    gangs_[gang].ended = true;
    if (current_ == gang) stop(now);
  }

  std::size_t alive() const {
    std::size_t count = 0;
    for (const Gang& gang : gangs_) count += gang.ended ? 0 : 1;
    return count;
  }

  std::size_t turns_of(std::size_t gang) const { return gangs_[gang].turns; }
  std::chrono::duration<double> time_of(std::size_t gang) const { return gangs_[gang].time; }

 private:
  struct Gang {
    double weight = 1;
    bool ended = false;
    std::size_t turns = 0;
    std::chrono::duration<double> time{0};
  };

  void begin(std::size_t gang, Clock::time_point now) {
    current_ = gang;
    began_ = now;
    ends_ = now + std::chrono::duration_cast<Clock::duration>(slice_ * gangs_[gang].weight);
    ++gangs_[gang].turns;
  }

  std::chrono::duration<double> slice_;
  std::vector<Gang> gangs_;
  std::optional<std::size_t> current_;
  std::size_t last_ = gangs_.size() - 1;  // so that the first gang is first
  Clock::time_point began_{};
  Clock::time_point ends_{};
};

}  // namespace gang
