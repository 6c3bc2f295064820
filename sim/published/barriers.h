// The five barriers that Zhang et al. compare, as sections 3.1 to 3.4 tell them: elements are one, or the team's size,
// before an instance, decreased to zero in it, and set back after it.
//
// Order    As in barriers/: a decrease is a release, seeing zero an acquire. Setting back is relaxed: between it and the
//          next decrease of the same element lies a release that the decreasing thread has seen.
// Source   Zhang et al. (2003), sections 3.1 to 3.4, Figures 3 to 6, Algorithm 1.
#pragma once

#include <memory>
#include <string_view>

#include "sim/published/central_counter.h"
#include "sim/published/elements.h"
#include "waiting/episode.h"

namespace muster::published {

template <class Memory>
class Barrier {
 public:
  virtual ~Barrier() = default;
  virtual void arrive_and_wait(unsigned me, Episode episode) = 0;
};

inline constexpr unsigned kMaster = 0;

// Section 3.1. Several counters in turn (section 3.2); the last thread sets the one back that nobody reads any more.
template <class Memory>
class FetchAndAdd final : public Barrier<Memory> {
 public:
  FetchAndAdd(unsigned team, std::size_t, const Reading&) : team_(team) {}

  void arrive_and_wait(unsigned, Episode episode) override {
    CentralCounter<Memory>& counter = counters_[episode % kCounters];
    if (!counter.decrease()) return counter.wait_for_zero();
    counters_[(episode - 1) % kCounters].set_back(team_);
  }

 private:
  static constexpr unsigned kCounters = 3;
  using Counter = CentralCounter<Memory>;
  const unsigned team_;
  Counter counters_[kCounters]{Counter(team_), Counter(team_), Counter(team_)};
};

// Sections 3.2 and 3.3.
template <class Memory, bool kPadded>
class DistributedCounter final : public Barrier<Memory> {
 public:
  DistributedCounter(unsigned team, std::size_t line, const Reading& reading)
      : reading_(reading),
        counter_({.team = team,
                  .sets = reading.sets,
                  .line = line,
                  .padded = kPadded,
                  .sets_share_lines = reading.sets_share_lines}) {}

  void arrive_and_wait(unsigned me, Episode episode) override {
    const auto set = static_cast<unsigned>(episode % reading_.sets);
    counter_.decrease(set, me, reading_.loads_first);
    counter_.wait_for_zeros(set, reading_.scan);
    counter_.set_back((set + reading_.sets - 1) % reading_.sets, me);
  }

 private:
  const Reading reading_;
  Elements<Memory> counter_;
};

// Section 3.4, first half.
template <class Memory>
class LocalSensor final : public Barrier<Memory> {
 public:
  LocalSensor(unsigned team, std::size_t line, const Reading&)
      : team_(team), counter_(team), sensor_({.team = team, .line = line}) {}

  void arrive_and_wait(unsigned me, Episode) override {
    if (counter_.decrease()) {
      counter_.set_back(team_);
      for (unsigned i = 0; i < team_; ++i) sensor_.at(0, i).store(0, std::memory_order_release);
    } else {
      sensor_.wait_for_zero(0, me);
    }
    sensor_.set_back(0, me);
  }

 private:
  const unsigned team_;
  CentralCounter<Memory> counter_;
  Elements<Memory> sensor_;
};

// Section 3.4: Algorithm 1, line by line.
template <class Memory>
class Combined final : public Barrier<Memory> {
 public:
  Combined(unsigned team, std::size_t line, const Reading& reading)
      : reading_(reading),
        team_(team),
        counter_({.team = team, .line = line}),
        sensor_({.team = team, .line = line}) {}

  void arrive_and_wait(unsigned me, Episode) override {
    counter_.decrease(0, me, reading_.loads_first);
    if (me == kMaster) {
      counter_.wait_for_zeros(0, reading_.scan);
      for (unsigned i = 0; i < team_; ++i) counter_.set_back(0, i);
      for (unsigned i = 0; i < team_; ++i) sensor_.at(0, i).store(0, std::memory_order_release);
    } else {
      sensor_.wait_for_zero(0, me);
    }
    sensor_.set_back(0, me);
  }

 private:
  const Reading reading_;
  const unsigned team_;
  Elements<Memory> counter_;
  Elements<Memory> sensor_;
};

// The paper's names in its figures.
inline constexpr const char* kNames[] = {"FetchAndAdd", "DistCounter", "DistCounterPad",
                                         "LocalSensor", "Combined"};

// `line`: the machine's, in bytes. Null for other names.
template <class Memory>
std::unique_ptr<Barrier<Memory>> make(std::string_view name, unsigned team, std::size_t line,
                                      const Reading& reading) {
  if (name == kNames[0]) return std::make_unique<FetchAndAdd<Memory>>(team, line, reading);
  if (name == kNames[1])
    return std::make_unique<DistributedCounter<Memory, false>>(team, line, reading);
  if (name == kNames[2])
    return std::make_unique<DistributedCounter<Memory, true>>(team, line, reading);
  if (name == kNames[3]) return std::make_unique<LocalSensor<Memory>>(team, line, reading);
  if (name == kNames[4]) return std::make_unique<Combined<Memory>>(team, line, reading);
  return nullptr;
}

}  // namespace muster::published
