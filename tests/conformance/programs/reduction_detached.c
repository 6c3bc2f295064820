// Reductions beside a detached task, after which the rest of the region keeps the runtime's
// barriers: they stand in for the tree's gathers. A teammate ends the task before it arrives.
// muster-test: env KMP_FORCE_REDUCTION=tree
// muster-test: threads 9
// muster-test: replaced >= 100
// muster-test: reason detached
// muster-test: skip gcc-O2: its reductions are no calls of the runtime
// muster-test: skip gnu-O2: its reductions are no calls of the runtime
#include "check.h"

enum { kItems = 50, kReductions = 12 };

static long team_of(int threads, int detached) {
  long sum = 0, other = 0;
  int done = 0, created = 0;
  omp_event_handle_t event;
#pragma omp parallel num_threads(threads)
  for (int round = 1; round <= kReductions; ++round) {
    const int me = omp_get_thread_num();
    late(round);
    if (detached && round == kReductions / 2) {
      if (me == 0) {
#pragma omp task detach(event) shared(done)
        __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
        __atomic_store_n(&created, 1, __ATOMIC_RELEASE);
      } else if (me == threads - 1) {
        while (!__atomic_load_n(&created, __ATOMIC_ACQUIRE)) nap(50);
        nap(kLateMicroseconds);
        omp_fulfill_event(event);
      }
    }
#pragma omp for reduction(+ : sum)
    for (int i = 1; i <= kItems; ++i) sum += i;
    expect(sum == round * (kItems * (kItems + 1L) / 2));
    expect(done == (detached && round >= kReductions / 2));
#pragma omp for reduction(+ : other) nowait
    for (int i = 1; i <= kItems; ++i) other += i;
#pragma omp barrier
  }
  expect(done == detached && sum == other);
  return sum;
}

int main(void) {
  long long checksum = 0;
  for (int threads = 2; threads <= 9; ++threads) {
    for (int detached = 0; detached < 2; ++detached) checksum += team_of(threads, detached);
  }
  return verdict("reduction_detached", checksum);
}
