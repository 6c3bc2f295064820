// The entry points of gcc before 4.9, called by hand: start, the primary's own part, end. A fold is
// such a region itself.
// muster-test: folded >= 15
#include "trap.h"

void GOMP_parallel_start(void (*function)(void*), void* data, unsigned threads);
void GOMP_parallel_end(void);
void GOMP_parallel(void (*function)(void*), void* data, unsigned threads, unsigned flags);

static void body(void* data) {
  long* cells = data;
  cells[omp_get_thread_num()] += 1 + 10 * omp_get_level();
#pragma omp barrier
}

int main(void) {
  long cells[kMostThreads] = {0};
  settle();
  for (int round = 0; round < 6; ++round) {
    GOMP_parallel_start(body, cells, 0);
    body(cells);
    int inside = omp_in_parallel();
    GOMP_parallel_end();
    printf("start and end: %d %d;", inside, omp_in_parallel());
    for (int i = 0; i < 4; ++i) printf(" %ld", cells[i]);
    GOMP_parallel(body, cells, round % 2 == 0 ? 0 : 3, 0);
    for (int i = 0; i < 4; ++i) printf(" %ld", cells[i]);
    printf("; %ld\n", round % 3 == 0 ? regions(5) : 0);
  }
  return finish();
}
