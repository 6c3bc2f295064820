// A barrier and `master` in one, and the light form of copyprivate: calls that no compiler here
// makes, so they are made directly.
// muster-test: threads 9
// muster-test: replaced >= 2000
// muster-test: reason tasks
// muster-test: race team_of: Archer does not see that all have arrived before the primary thread leaves
// muster-test: skip gnu-O2: it calls libomp's own entry points
#include <stdint.h>

#include "check.h"

struct Ident;
int32_t __kmpc_global_thread_num(struct Ident*);
int32_t __kmpc_barrier_master(struct Ident*, int32_t);
void __kmpc_end_barrier_master(struct Ident*, int32_t);
int32_t __kmpc_barrier_master_nowait(struct Ident*, int32_t);

static void team_of(int threads) {
  static long written[kMaxThreads], total, done;
  done = 0;
#pragma omp parallel num_threads(threads)
  for (int round = 1; round <= 4 * kRounds; ++round) {
    const int me = omp_get_thread_num();
    const int32_t global = __kmpc_global_thread_num(NULL);
    if (round % 4 == 0) late(round);
    if (round % 8 == 5) {
#pragma omp task
      __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
    }
    written[me] = mark(round, me);
    if (__kmpc_barrier_master(NULL, global)) {
      expect(me == 0);
      total = 0;
      for (int i = 0; i < threads; ++i) {
        expect(written[i] == mark(round, i));
        total += written[i];
      }
      expect(done == threads * ((round + 3) / 8L));
      if (round % 16 == 0) nap(kLateMicroseconds);
      __kmpc_end_barrier_master(NULL, global);
    } else {
      expect(me != 0);
    }
    long expected = 0;
    for (int i = 0; i < threads; ++i) expected += mark(round, i);
    expect(total == expected);
    written[me] = -mark(round, me);
    if (round % 8 == 7) {
#pragma omp task
      __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
#pragma omp taskwait
      if (me == 0) __atomic_fetch_sub(&done, threads, __ATOMIC_RELAXED);
    }
    if (__kmpc_barrier_master_nowait(NULL, global)) {
      expect(me == 0);
      for (int i = 0; i < threads; ++i) expect(written[i] == -mark(round, i));
    }
    for (int i = 0; i < threads; ++i) expect(written[i] == -mark(round, i));
#pragma omp barrier
  }
}

int main(void) {
  for (int threads = 1; threads <= 9; ++threads) team_of(threads);
  return verdict("barrier_master", 9);
}
