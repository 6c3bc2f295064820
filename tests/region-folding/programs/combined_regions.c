// Regions that gcc's code opens by entry points of their own: combined with loops and sections.
// muster-test: folded >= 110
#include "trap.h"

enum { kCount = 40 };
static int done[kCount];
static long sum;

#define LOOP(clauses)                                                       \
  do {                                                                      \
    _Pragma(clauses) for (int i = 0; i < kCount; ++i) {                     \
      __atomic_fetch_add(&done[i], 1, __ATOMIC_RELAXED);                    \
    }                                                                       \
    int wrong = 0;                                                          \
    for (int i = 0; i < kCount; ++i) wrong += done[i] != done[0];           \
    printf("%s: %d, %d wrong; %ld\n", clauses, done[0], wrong, regions(2)); \
  } while (0)

int main(void) {
  settle();
  for (int round = 0; round < 3; ++round) {
    LOOP("omp parallel for");
    LOOP("omp parallel for schedule(static, 3)");
    LOOP("omp parallel for schedule(dynamic)");
    LOOP("omp parallel for schedule(monotonic: dynamic, 3)");
    LOOP("omp parallel for schedule(guided)");
    LOOP("omp parallel for schedule(runtime)");
    LOOP("omp parallel for schedule(dynamic) ordered");
    LOOP("omp parallel for schedule(dynamic) num_threads(2)");
    LOOP("omp parallel for simd");
    LOOP("omp parallel for schedule(dynamic) if(0)");
#pragma omp parallel sections
    {
#pragma omp section
      __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
#pragma omp section
      __atomic_fetch_add(&sum, 10, __ATOMIC_RELAXED);
#pragma omp section
      __atomic_fetch_add(&sum, regions(0), __ATOMIC_RELAXED);
    }
    printf("sections: %ld; %ld\n", sum, regions(2));
#pragma omp parallel master
    sum += omp_get_num_threads();
#pragma omp parallel for reduction(task, + : sum)
    for (int i = 0; i < 10; ++i) {
#pragma omp task in_reduction(+ : sum)
      sum += i;
    }
    printf("task reduction: %ld; %ld\n", sum, regions(2));
  }
  return finish();
}
