// Parallel regions of all kinds. Steps are templates: an instance that is used once is compiled for its place.
#pragma once

#include "actor.h"

namespace sequences {

// What a team's threads saw; sums, so that their order does not matter.
struct Team {
  int cell[kMostThreads] = {};
  long seen = 0, levels = 0, active = 0, parallel = 0, strange = 0, limits = 0;

  // What the calling thread is answered.
  void see(int me, int size, int level) {
    levels += level;
    active += omp_get_active_level();
    parallel += omp_in_parallel();
    strange += omp_get_ancestor_thread_num(level) != me || omp_get_team_size(level) != size ||
               omp_get_ancestor_thread_num(level + 1) != -1;
    limits += omp_get_max_threads() * 10 + omp_get_max_active_levels();
  }
};

// One thread's part. What it adds up after the barrier, the others wrote before.
inline void member(Team& team) {
  const int me = omp_get_thread_num(), size = omp_get_num_threads(), level = omp_get_level();
  team.cell[me] = me + 1;
#pragma omp barrier
  long seen = 0;
  for (int i = 0; i < size; ++i) seen += team.cell[i];
#pragma omp critical(team)
  {
    team.seen += seen;
    team.see(me, size, level);
  }
}

inline void tell(Actor& actor, const char* name, const Team& team, long sum) {
  if (actor.dynamic) return note(actor, name, "of any size");
  note(actor, name, "sum %ld seen %ld levels %ld active %ld parallel %ld strange %ld limits %ld",
       sum, team.seen, team.levels, team.active, team.parallel, team.strange, team.limits);
}

template <int N>
SHAPED void region(Actor& actor) {
  for (int time = 0; time < options.times; ++time) {
    Team team;
    long sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
      member(team);
      sum += omp_get_thread_num() + 1;
      // No other thread holds a lock that the actor holds; for a nest lock the runtime decides.
      if (actor.holds_lock && omp_test_lock(&actor.lock)) sum += 1000;
    }
    tell(actor, "region", team, sum);
  }
}

template <int N>
SHAPED void other_size(Actor& actor) {
  for (int time = 0; time < options.times; ++time) {
    Team team;
#pragma omp parallel num_threads(options.other_size)
    member(team);
    tell(actor, "other_size", team, 0);
  }
}

// Regions of one thread: one in which the runtime is only queried, and one with a barrier.
template <int N>
SHAPED void inactive(Actor& actor) {
  for (int time = 0; time < options.times; ++time) {
    Team team;
#pragma omp parallel num_threads(1)
    {
      team.see(omp_get_thread_num(), omp_get_num_threads(), omp_get_level());
      if (actor.holds_lock && omp_test_lock(&actor.lock)) team.seen += 1000;
    }
    tell(actor, "inactive", team, 0);
  }
}

template <int N>
SHAPED void inactive_barrier(Actor& actor) {
  for (int time = 0; time < options.times; ++time) {
    Team team;
#pragma omp parallel num_threads(1)
    member(team);
    tell(actor, "inactive_barrier", team, 0);
  }
}

template <int N>
SHAPED void serialized(Actor& actor) {
  Team team;
#pragma omp parallel if (options.times == 0)
  member(team);
  tell(actor, "serialized", team, 0);
}

template <int N>
SHAPED void bound(Actor& actor) {
  for (int time = 0; time < options.times; ++time) {
    Team team;
#pragma omp parallel proc_bind(close)
    member(team);
    tell(actor, "bound", team, 0);
  }
}

enum { kIterations = 17 };

// The iterations, and whose they were.
template <int N>
SHAPED void loop(Actor& actor) {
  for (int time = 0; time < options.times; ++time) {
    long sum = 0, whose = 0;
#pragma omp parallel for schedule(static, 2) reduction(+ : sum, whose)
    for (int i = 0; i < kIterations; ++i) {
      sum += i;
      whose += i * omp_get_thread_num();
    }
    note(actor, "loop", "sum %ld whose %ld", sum, actor.dynamic ? 0 : whose);
  }
}

// Without a reduction, which keeps gcc from combining the loop with its region.
template <int N>
SHAPED void loop_dynamic(Actor& actor) {
  for (int time = 0; time < options.times; ++time) {
    long sum = 0, levels = 0;
#pragma omp parallel for schedule(dynamic, 2)
    for (int i = 0; i < kIterations; ++i) {
#pragma omp atomic
      sum += i;
#pragma omp atomic
      levels += omp_get_level();
    }
    note(actor, "loop_dynamic", "sum %ld levels %ld", sum, levels);
  }
}

// What it takes over from set_schedule shows in whose iterations they are.
template <int N>
SHAPED void loop_runtime(Actor& actor) {
  for (int time = 0; time < options.times; ++time) {
    long sum = 0, whose = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum, whose)
    for (int i = 0; i < kIterations; ++i) {
      sum += i;
      whose += i * omp_get_thread_num();
    }
    note(actor, "loop_runtime", "sum %ld whose %ld", sum, actor.dynamic ? 0 : whose);
  }
}

template <int N>
SHAPED void sections(Actor& actor) {
  for (int time = 0; time < options.times; ++time) {
    long one = 0, ten = 0, levels = 0;
#pragma omp parallel sections
    {
#pragma omp section
      one += 1;
#pragma omp section
      ten += 10;
#pragma omp section
      levels += omp_get_level();
    }
    note(actor, "sections", "sum %ld levels %ld", one + ten, levels);
  }
}

// Opens regions where it is copied, and where it is made for a reduction.
struct Opener {
  long value = 0;
  Opener() = default;
  explicit Opener(long start) : value(start) {}
  Opener(const Opener& other) : value(other.value) {
    long inner = 0;
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < 5; ++i) {
#pragma omp atomic
      inner += i;
    }
    value += inner;
  }
  Opener& operator=(const Opener&) = default;
};
inline Opener opened() {
  long three = 0, four = 0;
#pragma omp parallel sections
  {
#pragma omp section
    three += 3;
#pragma omp section
    four += 4;
  }
  return Opener(three + four);
}
#pragma omp declare reduction(openers:Opener : omp_out.value += omp_in.value) \
    initializer(omp_priv = opened())

template <int N>
SHAPED void copying(Actor& actor) {
  for (int time = 0; time < options.times; ++time) {
    Opener opener(100);
    long sum = 0, one = 0, ten = 0;
#pragma omp parallel for schedule(dynamic) firstprivate(opener)
    for (int i = 0; i < kIterations; ++i) {
#pragma omp atomic
      sum += i + opener.value;
    }
#pragma omp parallel sections firstprivate(opener)
    {
#pragma omp section
      one += opener.value;
#pragma omp section
      ten += 10 * opener.value;
    }
    note(actor, "copying", "sum %ld sections %ld %ld", sum, one, ten);
  }
}

template <int N>
SHAPED void initializing(Actor& actor) {
  for (int time = 0; time < options.times; ++time) {
    Opener total, sections;
#pragma omp parallel for schedule(dynamic) reduction(openers : total)
    for (int i = 0; i < kIterations; ++i) total.value += i;
#pragma omp parallel sections reduction(openers : sections)
    {
#pragma omp section
      sections.value += 1;
#pragma omp section
      sections.value += 2;
    }
    note(actor, "initializing", "sum %ld sections %ld", actor.dynamic ? 0 : total.value,
         actor.dynamic ? 0 : sections.value);
  }
}

template <int N>
SHAPED void nested(Actor& actor) {
  for (int time = 0; time < options.times; ++time) {
    Team teams[kMostThreads], all;
#pragma omp parallel
    {
      Team& inner = teams[omp_get_thread_num()];
#pragma omp parallel num_threads(2)
      member(inner);
    }
    for (const Team& one : teams) {
      all.seen += one.seen;
      all.levels += one.levels;
      all.active += one.active;
      all.parallel += one.parallel;
      all.strange += one.strange;
      all.limits += one.limits;
    }
    tell(actor, "nested", all, 0);
  }
}

// muster-test: race league: Archer does not see a league begin or end
template <int N>
SHAPED void league(Actor& actor) {
  long numbers = 0, threads = 0;
#pragma omp teams num_teams(2) thread_limit(2) reduction(+ : numbers, threads)
  {
    numbers += 10 * omp_get_num_teams() + omp_get_team_num();
    long own = 0;
#pragma omp parallel reduction(+ : own)
    own += omp_get_level();
    threads += own;
  }
  note(actor, "league", "numbers %ld threads %ld", numbers, actor.dynamic ? 0 : threads);
}

// Constructs of all kinds inside of one region, some without a barrier.
template <int N>
SHAPED void worksharing(Actor& actor) {
  for (int time = 0; time < options.times; ++time) {
    long sum = 0, ordered = 1, copied = 0, sectioned = 0;
#pragma omp parallel
    {
      long from_single = 0;
#pragma omp for schedule(dynamic, 3) nowait
      for (int i = 0; i < kIterations; ++i) {
#pragma omp atomic
        sum += i;
      }
#pragma omp for schedule(guided)
      for (int i = 0; i < kIterations; ++i) {
#pragma omp atomic
        sum += 100 * i;
      }
#pragma omp single copyprivate(from_single)
      from_single = sum;
#pragma omp critical(worksharing)
      copied += from_single;
#pragma omp for ordered schedule(dynamic)
      for (int i = 1; i < 6; ++i) {
#pragma omp ordered
        ordered = ordered * 3 + i;
      }
#pragma omp sections nowait
      {
#pragma omp section
        {
#pragma omp atomic
          sectioned += 1;
        }
#pragma omp section
        {
#pragma omp atomic
          sectioned += 10;
        }
      }
#pragma omp barrier
#pragma omp master
      sectioned += 100;
    }
    note(actor, "worksharing", "sum %ld copied %ld ordered %ld sections %ld", sum,
         actor.dynamic ? 0 : copied, ordered, sectioned);
  }
}

// A region that must finish what its tasks add up.
template <int N>
SHAPED void task_reduction(Actor& actor) {
  for (int time = 0; time < options.times; ++time) {
    long sum = 0, grouped = 0;
#pragma omp parallel reduction(task, + : sum)
    {
#pragma omp single nowait
      for (int i = 0; i < 7; ++i) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
        sum += i;
      }
    }
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : grouped)
    for (int i = 0; i < 7; ++i) {
#pragma omp task in_reduction(+ : grouped) firstprivate(i)
      grouped += i;
    }
    note(actor, "task_reduction", "sum %ld grouped %ld", sum, grouped);
  }
}

inline long kept;
#pragma omp threadprivate(kept)

// Between two regions of one size each thread keeps what is its own.
template <int N>
SHAPED void threadprivate(Actor& actor) {
  for (int time = 0; time < options.times; ++time) {
    long lost = 0, not_copied = 0;
#pragma omp parallel
    kept = 100 * actor.step + omp_get_thread_num();
#pragma omp parallel reduction(+ : lost)
    lost += kept != 100 * actor.step + omp_get_thread_num();
    const long primary = kept = 7000 + time;
#pragma omp parallel copyin(kept) reduction(+ : not_copied)
    not_copied += kept != primary;
    note(actor, "threadprivate", "lost %ld not copied %ld", actor.dynamic ? 0 : lost, not_copied);
  }
}

}  // namespace sequences
