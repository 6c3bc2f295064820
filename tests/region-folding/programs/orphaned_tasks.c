// Tasks of the serial part: they run at once there. Inside an open region they would be left for the
// workers, which are parked and do not look.
// muster-test: folded >= 40
// muster-test: closed "runtime call" >= 5
// muster-test: auto
#include "trap.h"

static long sum, order[4], place;

__attribute__((noinline)) static void plain(void) {
  for (int i = 0; i < 10; ++i) {
#pragma omp task firstprivate(i)
    __atomic_fetch_add(&sum, i, __ATOMIC_RELAXED);
  }
#pragma omp taskwait
}

__attribute__((noinline)) static void not_waited_for(void) {
#pragma omp task
  __atomic_fetch_add(&sum, 1000, __ATOMIC_RELAXED);
}

__attribute__((noinline)) static void grouped(void) {
#pragma omp taskgroup
  {
#pragma omp task
    {
#pragma omp task
      __atomic_fetch_add(&sum, 7, __ATOMIC_RELAXED);
    }
#pragma omp taskyield
  }
}

__attribute__((noinline)) static void undeferred(void) {
#pragma omp task if (0)
  __atomic_fetch_add(&sum, 3, __ATOMIC_RELAXED);
#pragma omp task final(1)
  {
#pragma omp task
    __atomic_fetch_add(&sum, 4, __ATOMIC_RELAXED);
  }
#pragma omp taskwait
}

__attribute__((noinline)) static void dependent(void) {
  int token = 0;
  (void)token;
#pragma omp task depend(out : token)
  order[place++ & 3] = 1;
#pragma omp task depend(inout : token)
  order[place++ & 3] = 2;
#pragma omp taskwait
}

__attribute__((noinline)) static void loop(void) {
#pragma omp taskloop grainsize(2)
  for (int i = 0; i < 10; ++i) __atomic_fetch_add(&sum, i, __ATOMIC_RELAXED);
  if (on_libgomp())
    return;  // after such a reduction in the serial part, its regions hang now and then
  long total = 0;
#pragma omp taskloop reduction(+ : total)
  for (int i = 0; i < 10; ++i) total += i;
  __atomic_fetch_add(&sum, total, __ATOMIC_RELAXED);
}

static void (*const kinds[])(void) = {plain, not_waited_for, grouped, undeferred, dependent, loop};

int main(void) {
  settle();
  for (unsigned k = 0; k < sizeof(kinds) / sizeof(kinds[0]); ++k) {
    sum = 0;
    kinds[k]();
    printf("kind %u: %ld, order %ld %ld", k, sum, order[0], order[1]);
#pragma omp parallel
#pragma omp single
    kinds[k]();
    printf(", then %ld; %ld\n", sum, regions(3));
  }
  // Between any two regions.
  for (int i = 0; i < 20; ++i) {
    plain();
    if (regions(1) == 0) return 1;
  }
  printf("in turns: %ld\n", sum);
  return finish();
}
