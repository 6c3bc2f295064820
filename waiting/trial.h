// What trials need: the rate of instances over a period, and a backoff between trials.
#pragma once

#include <cstdint>

#include "waiting/deadline.h"
#include "waiting/episode.h"

namespace muster {

// Instances per nanosecond since begin().
class RateWindow {
 public:
  void begin(std::uint64_t now_ns, Episode episode) {
    since_ns_ = now_ns;
    since_ = episode;
  }
  void forget() { since_ns_ = 0; }
  bool begun() const { return since_ns_ != 0; }
  std::uint64_t length_ns(std::uint64_t now_ns) const { return now_ns - since_ns_; }
  double rate(std::uint64_t now_ns, Episode episode) const {
    return static_cast<double>(episode - since_) / static_cast<double>(length_ns(now_ns));
  }

 private:
  std::uint64_t since_ns_ = 0;
  Episode since_ = 0;
};

// No trial is made while it lasts. Each backoff is twice as long as the one before, so that what does not pay is tried
// less and less often.
class Backoff {
 public:
  static constexpr std::uint64_t kFirstNs = 400'000'000;
  static constexpr std::uint64_t kLongestNs = 6'400'000'000;

  bool lasts(std::uint64_t now_ns) const { return is_ahead(until_ns_, now_ns, 2 * kLongestNs); }
  bool repeated() const { return next_ns_ > 2 * kFirstNs; }
  void begin(std::uint64_t from_ns) {
    until_ns_ = from_ns + next_ns_;
    if (next_ns_ < kLongestNs) next_ns_ *= 2;
  }
  void begin_again(std::uint64_t from_ns) {
    next_ns_ = kFirstNs;
    until_ns_ = from_ns + next_ns_;
  }

 private:
  std::uint64_t next_ns_ = kFirstNs;
  std::uint64_t until_ns_ = 0;
};

}  // namespace muster
