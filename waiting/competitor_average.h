// How many threads of others want the CPUs, on an average: one look sees those that are runnable at
// that moment, and a second copy of the program sleeps half of the time.
#pragma once

#include <atomic>

namespace muster {

// Relaxed: whoever reads an old value waits worse, never wrongly.
class CompetitorAverage {
 public:
  // Every 10 ms or so, by one thread at a time. The average is one of some 0.1 s.
  void see(unsigned strangers) {
    const unsigned average = average_.load(std::memory_order_relaxed);
    average_.store(average - average / 8 + strangers * kOne / 8, std::memory_order_relaxed);
  }

  // Whether there is one for each CPU, or nearly: whoever leaves a CPU leaves it to a stranger.
  bool fills(unsigned cpus) const {
    return average_.load(std::memory_order_relaxed) + kOne * 3 / 4 > cpus * kOne;
  }

 private:
  static constexpr unsigned kOne = 256;  // stranger

  std::atomic<unsigned> average_{0};
};

}  // namespace muster
