// How many threads of other processes want the CPUs, on average. One sample counts those that are runnable at that
// moment, and the threads of a second copy of the program sleep half of the time.
#pragma once

#include <atomic>

namespace muster {

// Relaxed: a thread that reads an old value may wait less efficiently, never incorrectly.
class CompetitorAverage {
 public:
  // Called about every 10 ms, by one thread at a time. The average covers about 0.1 s; the first samples count alike.
  void see(unsigned competitors, unsigned team_threads, unsigned cpus) {
    exceeds_cpus_.store(competitors != 0 && competitors + team_threads > cpus,
                        std::memory_order_relaxed);
    if (samples_ < kSamples) ++samples_;
    const unsigned average = average_.load(std::memory_order_relaxed);
    average_.store(average - average / samples_ + competitors * kOne / samples_,
                   std::memory_order_relaxed);
  }

  // Whether there were more threads than CPUs at the last look, those of the process's teams included. Teams that
  // disturb each other for microseconds only do not notice that by missing time.
  bool exceeds_cpus() const { return exceeds_cpus_.load(std::memory_order_relaxed); }

  // Rounded up from a quarter of one: a competitor may sleep half of the time.
  unsigned count() const {
    return (average_.load(std::memory_order_relaxed) + kOne * 3 / 4 - 1) / kOne;
  }

 private:
  static constexpr unsigned kOne = 256;  // one competitor
  static constexpr unsigned kSamples = 8;

  unsigned samples_ = 0;  // at most kSamples
  std::atomic<unsigned> average_{0};
  std::atomic<bool> exceeds_cpus_{false};
};

}  // namespace muster
