// EPCC's method (Bull, EWOMP 1999): run a construct often enough to be timed, repeat that, subtract
// the time of the same computation without the construct.
#pragma once

#include "epcc/constructs.h"
#include "epcc/statistics.h"

namespace epcc {

struct Settings {
  int outer_repetitions = 20;
  double test_time_us = 1000;
  double delay_time_us = 0.1;
  int threads = 1;            // found, not chosen: the size of the team
  long delay_iterations = 0;  // found: what delay_time_us is on this CPU
};

struct Timing {
  long inner_repetitions = 0;
  Summary time_us;  // of one execution
};

struct Result {
  const Construct* construct = nullptr;
  Timing test;
  Timing reference;
  Overhead overhead_us;
};

Timing measure(Body body, const Settings& settings);

}  // namespace epcc
