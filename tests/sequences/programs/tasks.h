// Tasks and target regions. What may be pending adds to the actor's `work`, which `taskwait` tells; the rest tells its
// own sum.
#pragma once

#include "regions.h"

namespace sequences {

inline void add_work(Actor& actor, long amount) {
#pragma omp atomic
  actor.work += amount;
}

inline long work_of(Actor& actor) {
  long work;
#pragma omp atomic read
  work = actor.work;
  return work;
}

// What a region of a task or target saw: its threads' numbers, 100 for each that was in parallel, 1000 a level.
inline long region_sum() {
  const bool counts = omp_get_dynamic() == 0;
  long all = 0;
  for (int time = 0; time < options.times; ++time) {
    long sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
      sum += omp_get_thread_num() + 1 + 100 * omp_in_parallel() + 1000 * omp_get_level();
#pragma omp barrier
    }
    all += counts ? sum : 1;
  }
  return all;
}

template <int N>
SHAPED void task(Actor& actor) {
#pragma omp task shared(actor)
  add_work(actor, 1 + omp_in_final());
}

template <int N>
SHAPED void task_if0(Actor& actor) {
#pragma omp task shared(actor) if (0)
  add_work(actor, 10);
}

template <int N>
SHAPED void task_final(Actor& actor) {
#pragma omp task shared(actor) final(1)
  {
    add_work(actor, 100 * omp_in_final());
#pragma omp task shared(actor)
    add_work(actor, 100 * omp_in_final());
  }
}

template <int N>
SHAPED void task_untied(Actor& actor) {
#pragma omp task shared(actor) untied
  {
    add_work(actor, 1000);
#pragma omp taskyield
    add_work(actor, 1000);
  }
}

template <int N>
SHAPED void task_depend(Actor& actor) {
  for (int link = 1; link <= 3; ++link) {
#pragma omp task shared(actor) firstprivate(link) depend(inout : actor.chain)
    {
      actor.chain = actor.chain * 5 + link;
      add_work(actor, 10000);
    }
  }
}

// A region in a task that may be pending.
template <int N>
SHAPED void task_region(Actor& actor) {
#pragma omp task shared(actor)
  add_work(actor, region_sum());
}

template <int N>
SHAPED void task_if0_region(Actor& actor) {
#pragma omp task shared(actor) if (0)
  add_work(actor, region_sum());
}

template <int N>
SHAPED void taskloop(Actor& actor) {
  long sum = 0;
#pragma omp taskloop shared(sum) grainsize(3)
  for (int i = 0; i < kIterations; ++i) {
#pragma omp atomic
    sum += i;
  }
  note(actor, "taskloop", "sum %ld", sum);
}

template <int N>
SHAPED void taskwait(Actor& actor) {
#pragma omp taskwait
  note(actor, "taskwait", "work %ld chain %d", work_of(actor), actor.chain);
}

template <int N>
SHAPED void taskgroup(Actor& actor) {
  long sum = 0;
#pragma omp taskgroup
  {
    for (int i = 0; i < 3; ++i) {
#pragma omp task shared(sum) firstprivate(i)
      {
#pragma omp task shared(sum)
        {
#pragma omp atomic
          sum += i;
        }
#pragma omp atomic
        sum += 10;
      }
    }
  }
  note(actor, "taskgroup", "sum %ld", sum);
}

#ifndef WITHOUT_TARGETS  // the GOMP layer of libomp has neither detached tasks nor targets
template <int N>
SHAPED void detached(Actor& actor) {
  omp_event_handle_t event = {};
#pragma omp task shared(actor) detach(event)
  add_work(actor, 100000);
  omp_fulfill_event(event);
}

template <int N>
SHAPED void target(Actor& actor) {
  long sum = 5;
#pragma omp target map(tofrom : sum)
  sum += 1 + 10 * omp_get_level() + 100 * omp_in_parallel() + 1000 * omp_get_num_threads();
  note(actor, "target", "sum %ld", sum);
}

template <int N>
SHAPED void target_nowait(Actor& actor) {
  Actor* const own = &actor;
#pragma omp target nowait firstprivate(own)
  add_work(*own, 1000000);
}

template <int N>
SHAPED void target_region(Actor& actor) {
  long sum = 0;
#pragma omp target map(tofrom : sum)
  sum = region_sum();
  note(actor, "target_region", "sum %ld", sum);
}

template <int N>
SHAPED void target_nowait_region(Actor& actor) {
  Actor* const own = &actor;
#pragma omp target nowait firstprivate(own)
  add_work(*own, region_sum());
}

#endif

}  // namespace sequences
