// The entry points of gcc before 4.9, by hand: start, the primary's own part, end; one within another, too.
#include "check.h"

void GOMP_parallel_start(void (*function)(void*), void* data, unsigned threads);
void GOMP_parallel_end(void);

static long g_cell[kMaxThreads];
static long g_sum;

static void body(void* data) {
  const int me = omp_get_thread_num(), n = omp_get_num_threads();
  for (int round = 1; round <= 3; ++round) {
    g_cell[me] = round;
#pragma omp barrier
    for (int i = 0; i < n; ++i) expect(g_cell[i] == round);
#pragma omp barrier
  }
#pragma omp atomic
  *(long*)data += n;
}

static void inner(void* data) {
#pragma omp atomic
  *(long*)data += 1;
}

static void outer(void* data) {
  body(data);
  GOMP_parallel_start(inner, data, 2);
  inner(data);
  GOMP_parallel_end();
#pragma omp barrier
}

int main(void) {
  for (int i = 0; i < 6; ++i) {
    GOMP_parallel_start(i % 2 == 0 ? body : outer, &g_sum, 3);
    (i % 2 == 0 ? body : outer)(&g_sum);
    GOMP_parallel_end();
  }
#pragma omp parallel num_threads(3)
  body(&g_sum);
  long total = 0;
#pragma omp parallel num_threads(3) reduction(task, + : total)
  total += 1;
  return verdict("started", g_sum + total);
}
