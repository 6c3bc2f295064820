// Worksharing loops in the serial part, through the same functions that regions call: inside a fold
// that is still open they would share out their iterations among threads that never come.
// muster-test: folded >= 40
// muster-test: closed "runtime call" >= 8
// muster-test: auto
#include "trap.h"

enum { kCount = 24 };
static int done[kCount];

#define LOOP(name, clauses)                              \
  __attribute__((noinline)) static void name(void) {     \
    _Pragma(clauses) for (int i = 0; i < kCount; ++i) {  \
      __atomic_fetch_add(&done[i], 1, __ATOMIC_RELAXED); \
    }                                                    \
  }
LOOP(by_default, "omp for")
LOOP(by_static, "omp for schedule(static)")
LOOP(by_chunks, "omp for schedule(static, 3)")
LOOP(by_dynamic, "omp for schedule(dynamic)")
LOOP(by_nonmonotonic, "omp for schedule(nonmonotonic: dynamic, 2)")
LOOP(by_guided, "omp for schedule(guided)")
LOOP(by_auto, "omp for schedule(auto)")
LOOP(by_runtime, "omp for schedule(runtime)")
LOOP(without_barrier, "omp for schedule(dynamic) nowait")
LOOP(with_simd, "omp for simd")

__attribute__((noinline)) static void in_order(void) {
#pragma omp for ordered schedule(dynamic)
  for (int i = 0; i < kCount; ++i) {
#pragma omp ordered
    done[i] += i == 0 || done[i - 1] == done[i] + 1 ? 1 : 100;
  }
}

__attribute__((noinline)) static void in_static_order(void) {
#pragma omp for ordered schedule(static, 2)
  for (int i = 0; i < kCount; ++i) {
#pragma omp ordered
    done[i] += i == 0 || done[i - 1] == done[i] + 1 ? 1 : 100;
  }
}

__attribute__((noinline)) static void collapsed(void) {
#pragma omp for collapse(2) schedule(guided)
  for (unsigned long i = 0; i < 4; ++i) {
    for (unsigned long k = 0; k < kCount / 4; ++k) {
      __atomic_fetch_add(&done[i * (kCount / 4) + k], 1, __ATOMIC_RELAXED);
    }
  }
}

static void (*const loops[])(void) = {
    by_default, by_static, by_chunks,       by_dynamic,      by_guided, by_nonmonotonic, by_auto,
    by_runtime, with_simd, without_barrier, in_static_order, in_order,  collapsed};

int main(void) {
  settle();
  for (unsigned k = 0; k < sizeof(loops) / sizeof(loops[0]); ++k) {
    for (int i = 0; i < kCount; ++i) done[i] = 0;
    loops[k]();
    printf("loop %u: %d after the serial one", k, done[kCount - 1]);
#pragma omp parallel
    loops[k]();
    int wrong = 0;
    for (int i = 0; i < kCount; ++i) wrong += done[i] != 2;
    printf(", %d in all, %d wrong; %ld\n", done[kCount - 1], wrong, regions(3));
  }
  return finish();
}
