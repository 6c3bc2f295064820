// What decides where a team's threads should be: gathered, apart, or wherever the kernel has them.
#pragma once

namespace muster {

// At one moment.
struct Situation {
  bool fits = true;              // a CPU for each thread of the team
  bool competitor_near = false;  // seen within the last milliseconds
  bool takes_turns = false;      // teammates were found on one CPU
  bool one_cpu_quota = false;    // no more than one CPU's time a period, at least two CPUs
  bool crowded = false;  // strangers want all CPUs, or nearly (waiting/competitor_average.h)
  bool alone = false;    // known: no thread of others is runnable, on no CPU at all
  unsigned cpus = 1;
};

}  // namespace muster
