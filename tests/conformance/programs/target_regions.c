// Target regions on the host, of the threads of a team: libgomp runs them as if their thread were in no region. Their
// barriers belong to no team, and their regions are not those of the team.
// muster-test: env OMP_TARGET_OFFLOAD=disabled
// muster-test: skip clang-O0: barriers of such regions are the team's in libomp
// muster-test: skip clang-O2: the same
// muster-test: skip gcc-O2: the GOMP layer of libomp has no GOMP_target_ext
// muster-test: replaced >= 32
#include "check.h"

static long cell[kMaxThreads], inner[kMaxThreads];

__attribute__((noinline)) static void construct_of_nobody(long* value) {
#pragma omp barrier
#pragma omp for schedule(dynamic)
  for (int i = 0; i < 10; ++i) *value += 1;
#pragma omp single
  *value += 100;
#pragma omp barrier
}

// In the serial part and in regions.
static void target(int who) {
  long value = 0, size = 0;
#pragma omp target map(tofrom : value)
  construct_of_nobody(&value);
  expect(value == 110);
#pragma omp target map(tofrom : value, size)
  {
    value = omp_get_level();
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
#pragma omp master
      size = omp_get_num_threads();
#pragma omp barrier
#pragma omp atomic
      value += 1;
    }
  }
  expect(value == size && size >= 1);
  if (omp_get_level() == 0)
    return;  // after one in the serial part, libgomp's regions hang now and then
#pragma omp target map(tofrom : inner[who : 1]) nowait
  inner[who] += 7;
}

int main(void) {
  target(0);
  for (int round = 0; round < 6; ++round) {
#pragma omp parallel
    {
      const int me = omp_get_thread_num(), n = omp_get_num_threads();
      for (int turn = 0; turn < 3; ++turn) {
        late(round + turn);
        cell[me] = mark(round, me) + turn;
#pragma omp barrier
        for (int i = 0; i < n; ++i) expect(cell[i] == mark(round, i) + turn);
#pragma omp barrier
      }
      inner[me] = 0;
#pragma omp barrier
      if (me == round % n || round == 5) target(me);
#pragma omp barrier
      for (int i = 0; i < n; ++i) expect(inner[i] == (i == round % n || round == 5 ? 7 : 0));
    }
  }
  return verdict("target_regions", inner[0] + cell[1]);
}
