// Loops with dependences across iterations, and a taskwait on one object, in the serial part.
// muster-test: folded >= 15
// muster-test: closed "runtime call" >= 1
// muster-test: race done[i]: Archer does not know the order of doacross loops
// muster-test: skip gcc: libomp's GOMP_doacross_* crash outside of an active region
// muster-test: skip gnu: the same
// muster-test: skip clang libomp14: it has no taskwait with dependences yet
#include "trap.h"

enum { kCount = 24 };
static int done[kCount];

__attribute__((noinline)) static void across(void) {
#pragma omp for ordered(1)
  for (int i = 0; i < kCount; ++i) {
#pragma omp ordered depend(sink : i - 1)
    done[i] += i == 0 || done[i - 1] == done[i] + 1 ? 1 : 100;
#pragma omp ordered depend(source)
  }
}

__attribute__((noinline)) static void wait_for_one(void) {
  int token = 0;
#pragma omp task depend(out : token) shared(token)
  token = 7;
#pragma omp taskwait depend(in : token)
  printf("token %d\n", token);
}

int main(void) {
  settle();
  for (int round = 0; round < 3; ++round) {
    wait_for_one();
    settle();
    across();
#pragma omp parallel
    across();
    int wrong = 0;
    for (int i = 0; i < kCount; ++i) wrong += done[i] != 2 * (round + 1);
    printf("%d, %d wrong; %ld\n", done[kCount - 1], wrong, regions(3));
#pragma omp parallel
#pragma omp single
    wait_for_one();
    settle();
  }
  return finish();
}
