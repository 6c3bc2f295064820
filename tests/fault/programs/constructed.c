// A shared object that runs parallel regions while it is loaded: the thread that loads it holds the
// loader's lock all the while, so no other thread of the team may need it.
#include "check.h"

int plugin(void);

static int g_cell[kMaxThreads];
static long g_sum;

static void work(void) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), n = omp_get_num_threads();
    for (int round = 1; round <= 20; ++round) {
      g_cell[me] = round;
#pragma omp barrier
      for (int i = 0; i < n; ++i) expect(g_cell[i] == round);
#pragma omp barrier
    }
#pragma omp for schedule(dynamic) reduction(+ : g_sum)
    for (int i = 0; i < 100; ++i) g_sum += i + omp_get_level();
#pragma omp critical
    expect(g_sum >= 4950);
#pragma omp single
    expect(omp_in_parallel());
  }
}

__attribute__((constructor)) static void construct(void) {
  work();
  work();
}

int plugin(void) {
  work();
  return verdict("constructed", (int)g_sum);
}
