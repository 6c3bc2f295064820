// The entry points of gcc before 4.9, called directly: start, the primary thread's own part, end. Plain regions, loops and
// sections, and a region inside one.
// muster-test: replaced >= 100
// muster-test: env OMP_MAX_ACTIVE_LEVELS=2
#include <stdbool.h>

#include "check.h"

typedef void (*Function)(void*);
void GOMP_parallel_start(Function, void*, unsigned);
void GOMP_parallel_loop_dynamic_start(Function, void*, unsigned, long, long, long, long);
void GOMP_parallel_sections_start(Function, void*, unsigned, unsigned);
void GOMP_parallel_end(void);
void GOMP_barrier(void);
bool GOMP_loop_dynamic_next(long*, long*);
void GOMP_loop_end(void);
unsigned GOMP_sections_next(void);
void GOMP_sections_end(void);

enum { kItems = 60 };
static long cell[kMaxThreads], item[kItems], section[4];
static int now;

static void plain(void* data) {
  const int round = *(int*)data, me = omp_get_thread_num(), n = omp_get_num_threads();
  late(round);
  cell[me] = mark(round, me);
  GOMP_barrier();
  for (int i = 0; i < n; ++i) expect(cell[i] == mark(round, i));
  GOMP_barrier();
}

static void loop(void* data) {
  const int round = *(int*)data;
  long begin, end;
  late(round);
  while (GOMP_loop_dynamic_next(&begin, &end)) {
    for (long i = begin; i < end; ++i) item[i] += mark(round, 0);
  }
  GOMP_loop_end();
  for (int i = 0; i < kItems; ++i) expect(item[i] == mark(round, 0));
  GOMP_barrier();
}

static void sections(void* data) {
  const int round = *(int*)data;
  late(round);
  for (unsigned i = GOMP_sections_next(); i != 0; i = GOMP_sections_next()) {
    section[i] = mark(round, (int)i);
  }
  GOMP_sections_end();
  for (int i = 1; i <= 3; ++i) expect(section[i] == mark(round, i));
  GOMP_barrier();
}

static void nesting(void* data) {
  plain(data);
  if (omp_get_thread_num() == 0) {
    GOMP_parallel_start(plain, &now, 1);
    plain(&now);
    GOMP_parallel_end();
  }
  GOMP_barrier();
}

int main(void) {
  long long checksum = 0;
  for (int round = 0; round < kRounds; ++round) {
    now = round;
    GOMP_parallel_start(plain, &now, 0);
    plain(&now);
    GOMP_parallel_end();
    for (int i = 0; i < kItems; ++i) item[i] = 0;
    GOMP_parallel_loop_dynamic_start(loop, &now, 0, 0, kItems, 1, 3);
    loop(&now);
    GOMP_parallel_end();
    GOMP_parallel_sections_start(sections, &now, 0, 3);
    sections(&now);
    GOMP_parallel_end();
    GOMP_parallel_start(nesting, &now, round % 2 == 0 ? 0 : 3);
    nesting(&now);
    GOMP_parallel_end();
    checksum += cell[0] + item[0] + section[1];
  }
  return verdict("started_by_hand", checksum);
}
