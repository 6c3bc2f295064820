// The measurements of a calibration: two threads that put each other to sleep and wake each other. calibration.cpp
// judges the times.
#pragma once

#include <cstdint>

#include "waiting/calibration.h"

namespace muster {

// The repetitions of one measurement. Times in ns.
struct Repeats {
  std::uint64_t least_ns = ~std::uint64_t{0};
  unsigned count = 0;
  bool time_ran_out = false;  // before all repeats were done

  void add(std::uint64_t ns) {
    if (ns < least_ns) least_ns = ns;
    ++count;
  }
};

struct SwitchTimes {
  bool threads_made = false;  // false: nothing was timed
  bool other_cpu = false;     // the sleeper of `wake` had a CPU other than its waker's
  Repeats round_trip;         // to a thread on the same CPU and back, both by futex
  Repeats wake;               // from before a wake call until the sleeper runs on another CPU
  Repeats wake_call;          // the wake call alone; without another CPU, that to the same one
};

SwitchTimes time_switches(const CalibrationMeans& means);

}  // namespace muster
