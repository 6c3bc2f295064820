// The input of the decision where a team's threads should be: gathered, separated, or wherever the kernel puts them.
#pragma once

namespace muster {

// As sampled at one moment.
struct Situation {
  bool fits = true;              // a CPU for each thread of the team
  bool competitor_near = false;  // observed within the last milliseconds
  bool takes_turns = false;      // teammates were found on one CPU
  bool one_cpu_quota = false;    // at most one CPU's time per period, at least two CPUs
  bool crowded = false;  // competitors want all CPUs, or nearly (waiting/competitor_average.h)
  bool alone = false;    // known: no thread of another process is runnable, on any CPU
  unsigned cpus = 1;
};

}  // namespace muster
