// Target regions with regions in them, on the host, outside of any region. libgomp runs one with `nowait` from
// `taskwait`, as if its thread were in no region and new to the runtime.
// muster-test: env OMP_TARGET_OFFLOAD=disabled
// muster-test: auto
// muster-test: folded >= 10
// muster-test: skip gcc: the GOMP layer of libomp has no GOMP_target_ext
// muster-test: skip gnu: the same
// muster-test: skip libgomp libgomp7: it hangs in a `target nowait`
// muster-test: case four
// muster-test: case two
// muster-test: env OMP_NUM_THREADS=2
#include "trap.h"

static long total;
static void inside(int count) { __atomic_fetch_add(&total, regions(count), __ATOMIC_RELAXED); }

int main(void) {
  settle();
  for (int round = 0; round < 3; ++round) {
#pragma omp target
    inside(3);
    printf("%ld; %ld\n", total, regions(3));
  }
  for (int round = 0; round < 3; ++round) {
#pragma omp target nowait
    inside(3);
#pragma omp taskwait
  }
  printf("%ld\n", total);
  if (on_libgomp()) return 0;  // its own regions hang now and then after that
  return finish();
}
