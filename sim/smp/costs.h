// What the things take that a waiting thread does, in ns of its own running. Contention is not modelled, as
// in the paper; what is serial by nature is: a wake call goes through its sleepers one by one.
//
// The defaults are the least of many repeats on the development machine, a virtual one of 2.5 GHz with 2
// processors, idle, but for those that are said to be assumed.
#pragma once

#include "sim/smp/task.h"

namespace muster::smp {

struct Costs {
  Time load = 1;           // of a word that nobody has changed; assumed: it lies in a cache near by
  Time line = 100;         // to see, or change, what another has changed since: assumed
  Time clock = 22;         // clock_gettime
  Time pause = 13;         // a spinning loop's; 3 on some processors, 47 on others
  Time yield = 218;        // sched_yield, if nobody else wants the processor
  Time futex_wait = 187;   // until the thread is off its processor
  Time futex_wake = 128;   // without sleepers
  Time wake_each = 1'000;  // and for each sleeper: assumed, from a wake call with one
  Time affinity = 357;     // sched_setaffinity
  Time ask = 141;          // any call that only asks
  Time fence = 131;        // membarrier, while no teammate runs
  Time fence_beside = 2'500;    // what it takes longer while any does: platform/fences.h
  Time fenced = 1'000;          // what each of those loses by the interrupt: assumed
  Time look = 11'000;           // of the load sensor: benchmarks/load_sensor_cost
  Time idle_look = 15'000;      // /proc/stat: platform/idle_time.h
  Time idle_look_each = 1'000;  // and for each processor: assumed

  // A step of a kind of spinning that only reads may stand for several: it takes the pause or, if that is
  // longer, a 512th of what has been spun, and time is counted in pieces of a 32nd of it. Stores to what the
  // thread looks at are seen at once all the same. So what overshoots are budgets, by a 32nd at most. 0: each
  // step is one event, and nothing is seen in between.
  unsigned fine_share = 512;
  unsigned coarse_share = 32;

  // As the paper has it: nothing costs anything, but a spinner's loop has to take some time.
  static Costs none() {
    Costs costs;
    costs.load = costs.line = costs.clock = costs.futex_wait = costs.futex_wake = costs.wake_each =
        0;
    costs.affinity = costs.ask = costs.fence = costs.fence_beside = costs.fenced = costs.look = 0;
    costs.idle_look = costs.idle_look_each = 0;
    costs.pause = costs.yield = 1;
    return costs;
  }
};

}  // namespace muster::smp
