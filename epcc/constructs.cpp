// One function a construct. Each does the same computation as its reference does serially, so that
// what is left after subtraction is the construct's own cost (Bull, EWOMP 1999).
#include "epcc/constructs.h"

#include <omp.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "epcc/delay.h"

// Weak, for libgomp's header declares it but the library (gcc 12) has none.
#pragma weak omp_init_lock_with_hint

namespace epcc {
namespace {

// Makes the compiler believe that `value` is read.
void keep(const double& value) { asm volatile("" : : "g"(&value) : "memory"); }

// This thread's part of `total` executions that exclude one another; the parts add up to `total`.
long my_share(long total, int threads) {
  const int me = omp_get_thread_num();
  return total / threads + (me < total % threads ? 1 : 0);
}

// References

void delay_only(const Work& w) {
  for (long r = 0; r < w.repetitions; ++r) delay(w.delay);
}

constexpr double kGrowth = 1.0 + 1e-15;  // keeps the summands different, and the sum finite

void plain_sum(const Work& w) {
  double sum = 0;
  double term = 1;
  for (long r = 0; r < w.repetitions; ++r) {
    sum += term;
    term *= kGrowth;
  }
  keep(sum);
}

void delay_and_count(const Work& w) {
  double count = 0;
  for (long r = 0; r < w.repetitions; ++r) {
    delay(w.delay);
    count += 1;
  }
  keep(count);
}

// Regions and worksharing

void parallel(const Work& w) {
  for (long r = 0; r < w.repetitions; ++r) {
#pragma omp parallel
    delay(w.delay);
  }
}

void for_loop(const Work& w) {
#pragma omp parallel
  for (long r = 0; r < w.repetitions; ++r) {
#pragma omp for
    for (int i = 0; i < w.threads; ++i) delay(w.delay);
  }
}

void parallel_for(const Work& w) {
  for (long r = 0; r < w.repetitions; ++r) {
#pragma omp parallel for
    for (int i = 0; i < w.threads; ++i) delay(w.delay);
  }
}

void barrier(const Work& w) {
#pragma omp parallel
  for (long r = 0; r < w.repetitions; ++r) {
    delay(w.delay);
#pragma omp barrier
  }
}

// Only one thread, another each time, computes: all others wait for a late arriver.
void barrier_var(const Work& w) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    for (long r = 0; r < w.repetitions; ++r) {
      if (r % w.threads == me) delay(w.delay);
#pragma omp barrier
    }
  }
}

void single(const Work& w) {
#pragma omp parallel
  for (long r = 0; r < w.repetitions; ++r) {
#pragma omp single
    delay(w.delay);
  }
}

void reduction(const Work& w) {
  double count = 0;
  for (long r = 0; r < w.repetitions; ++r) {
#pragma omp parallel reduction(+ : count)
    {
      delay(w.delay);
      count += 1;
    }
  }
  keep(count);
}

// arraybench's: one thread's array for all, in a region of its own. The array is a private one.
template <int kDoubles>
void copyprivate(const Work& w) {
  for (long r = 0; r < w.repetitions; ++r) {
#pragma omp parallel
    {
      double values[kDoubles];
#pragma omp single copyprivate(values)
      {
        values[0] = 1;
        delay(w.delay);
      }
      keep(values[0]);
    }
  }
}

// Mutual exclusion: the team's executions add up to the repetitions, one at a time.

void critical(const Work& w) {
#pragma omp parallel
  {
    const long mine = my_share(w.repetitions, w.threads);
    for (long r = 0; r < mine; ++r) {
#pragma omp critical
      delay(w.delay);
    }
  }
}

class Lock {
 public:
  // A runtime may ignore the hint, so one that cannot take it is given none.
  explicit Lock(omp_sync_hint_t hint) {
    if (omp_init_lock_with_hint != nullptr) {
      omp_init_lock_with_hint(&lock_, hint);
    } else {
      omp_init_lock(&lock_);
    }
  }
  ~Lock() { omp_destroy_lock(&lock_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  void delay_holding_it(long length, long times) {
    for (long r = 0; r < times; ++r) {
      omp_set_lock(&lock_);
      delay(length);
      omp_unset_lock(&lock_);
    }
  }

 private:
  omp_lock_t lock_;
};

template <omp_sync_hint_t hint>
void lock_contended(const Work& w) {
  Lock lock(hint);
#pragma omp parallel
  lock.delay_holding_it(w.delay, my_share(w.repetitions, w.threads));
}

// Only the primary thread takes the lock, inside a region so that the runtime knows it has a team.
template <omp_sync_hint_t hint>
void lock_uncontended(const Work& w) {
  Lock lock(hint);
#pragma omp parallel
  {
#pragma omp master
    lock.delay_holding_it(w.delay, w.repetitions);
  }
}

void ordered(const Work& w) {
#pragma omp parallel for ordered schedule(static, 1)
  for (long r = 0; r < w.repetitions; ++r) {
#pragma omp ordered
    delay(w.delay);
  }
}

void atomic(const Work& w) {
  double sum = 0;
#pragma omp parallel
  {
    const long mine = my_share(w.repetitions, w.threads);
    double term = 1;
    for (long r = 0; r < mine; ++r) {
#pragma omp atomic
      sum += term;
      term *= kGrowth;
    }
  }
  keep(sum);
}

void atomic_seq_cst(const Work& w) {
  double sum = 0;
#pragma omp parallel
  {
    const long mine = my_share(w.repetitions, w.threads);
    double term = 1;
    for (long r = 0; r < mine; ++r) {
#pragma omp atomic seq_cst
      sum += term;
      term *= kGrowth;
    }
  }
  keep(sum);
}

constexpr Reference kDelay{"reference time 1", delay_only};
constexpr Reference kSum{"reference time 2", plain_sum};
constexpr Reference kCount{"reference time 3", delay_and_count};

constexpr std::array kConstructs = {
    Construct{"PARALLEL", "PARALLEL", parallel, &kDelay},
    Construct{"FOR", "FOR", for_loop, &kDelay},
    Construct{"PARALLEL_FOR", "PARALLEL FOR", parallel_for, &kDelay},
    Construct{"BARRIER", "BARRIER", barrier, &kDelay},
    Construct{"BARRIER_VAR", "BARRIER_VAR", barrier_var, &kDelay},
    Construct{"SINGLE", "SINGLE", single, &kDelay},
    Construct{"CRITICAL", "CRITICAL", critical, &kDelay},
    Construct{"LOCK_CONTENDED", "LOCK_CONTENDED", lock_contended<omp_sync_hint_none>, &kDelay},
    Construct{"LOCK_CONTENDED_HINT", "LOCK_CONTENDED_HINT", lock_contended<omp_sync_hint_contended>,
              &kDelay},
    Construct{"LOCK_UNCONTENDED", "LOCK_UNCONTENDED", lock_uncontended<omp_sync_hint_none>,
              &kDelay},
    Construct{"LOCK_UNCONTENDED_HINT", "LOCK_UNCONTENDED_HINT",
              lock_uncontended<omp_sync_hint_uncontended>, &kDelay},
    Construct{"ORDERED", "ORDERED", ordered, &kDelay},
    Construct{"ATOMIC", "ATOMIC", atomic, &kSum},
    Construct{"ATOMIC_SEQCST", "ATOMIC_SEQCST", atomic_seq_cst, &kSum},
    Construct{"REDUCTION", "REDUCTION", reduction, &kCount},
    Construct{"COPYPRIVATE_1", "COPYPRIVATE 1", copyprivate<1>, &kDelay},
    Construct{"COPYPRIVATE_729", "COPYPRIVATE 729", copyprivate<729>, &kDelay},
};

}  // namespace

std::span<const Construct> constructs() { return kConstructs; }

const Construct* find_construct(std::string_view name) {
  std::string wanted;
  for (const char c : name) {
    wanted += c == ' ' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  if (wanted == "LOCK/UNLOCK") wanted = "LOCK_CONTENDED";  // its name up to EPCC's version 3
  const auto* found = std::ranges::find(kConstructs, wanted, &Construct::name);
  return found == kConstructs.end() ? nullptr : found;
}

int team_size() {
  int size = 0;
#pragma omp parallel
  {
#pragma omp master
    size = omp_get_num_threads();
  }
  return size;
}

}  // namespace epcc
