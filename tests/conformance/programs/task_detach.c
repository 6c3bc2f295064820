// Detached tasks: fulfilled by another thread of the team after their body has run. Until then the
// barrier has a task pending, and another one that depends on it.
// muster-test: reason task
// muster-test: skip gcc-O2: the GOMP layer of libomp knows no detached tasks
#include "check.h"

static long body, after;
static omp_event_handle_t handle;
static int published = -1;

int main(void) {
#pragma omp parallel
  {
    int me = omp_get_thread_num(), n = omp_get_num_threads();
    for (int round = 0; round < kRounds; ++round) {
      if (me == round % n) {
        omp_event_handle_t event;
#pragma omp task detach(event) firstprivate(round) depend(out : body)
        body = mark(round, 1);
#pragma omp task depend(in : body) firstprivate(round)
        {
          expect(body == mark(round, 1));
          after = mark(round, 2);
        }
        handle = event;
        __atomic_store_n(&published, round, __ATOMIC_RELEASE);
      }
      if (me == (round + 1) % n) {
        while (__atomic_load_n(&published, __ATOMIC_ACQUIRE) != round) nap(20);
        nap(kLateMicroseconds);
        omp_fulfill_event(handle);
      }
#pragma omp barrier  // MUTANT: remove
      expect(body == mark(round, 1));
      expect(after == mark(round, 2));
#pragma omp barrier
    }
  }
  // A region without tasks.
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
#pragma omp single
    body = -round;
    expect(body == -round);
#pragma omp barrier
  }
  return verdict("task_detach", body + after);
}
