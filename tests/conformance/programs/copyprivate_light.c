// The light form of copyprivate, which hands a pointer on and leaves the copying, and the barrier
// after it, to the caller. No compiler here makes the call, so it is made directly.
// muster-test: threads 9
// muster-test: replaced >= 2000
// muster-test: reason tasks
// muster-test: skip clang-O0 libomp14: it has no such entry point
// muster-test: skip clang-O2 libomp14: it has no such entry point
// muster-test: skip gcc-O2 libomp14: it has no such entry point
// muster-test: skip gnu-O2: it calls libomp's own entry points
#include <stdint.h>

#include "check.h"

struct Ident;
int32_t __kmpc_global_thread_num(struct Ident*);
void* __kmpc_copyprivate_light(struct Ident*, int32_t, void*);

int main(void) {
  long done = 0;
  for (int threads = 1; threads <= 9; ++threads) {
    done = 0;
#pragma omp parallel num_threads(threads)
    for (int round = 0; round < 4 * kRounds; ++round) {
      const int me = omp_get_thread_num();
      const int32_t global = __kmpc_global_thread_num(NULL);
      long value = me == round % threads ? mark(round, me) : -1;
      if (round % 8 == 3) {
#pragma omp task shared(done)
        __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
      }
      if (round % 4 == 0) late(round);
      const long* its = __kmpc_copyprivate_light(NULL, global, value >= 0 ? &value : NULL);
      expect(*its == mark(round, round % threads));
      expect(__atomic_load_n(&done, __ATOMIC_RELAXED) == threads * ((round + 5) / 8L));
#pragma omp barrier
    }
  }
  return verdict("copyprivate_light", 9);
}
