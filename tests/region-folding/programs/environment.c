// Environment variables about teams apply to folded regions, too.
// muster-test: case one-thread
// muster-test: env OMP_NUM_THREADS=1
// muster-test: folded <= 0
// muster-test: unfolded "team of one" >= 20
// muster-test: case no-level
// muster-test: env OMP_MAX_ACTIVE_LEVELS=0
// muster-test: folded <= 0
// muster-test: case limit
// muster-test: env OMP_THREAD_LIMIT=3
// muster-test: folded >= 15
// muster-test: case places
// muster-test: env OMP_PLACES={0},{1}
// muster-test: env OMP_PROC_BIND=spread
// muster-test: folded >= 15
// muster-test: case bound-to-master
// muster-test: env OMP_PLACES={0},{1}
// muster-test: env OMP_PROC_BIND=master
// muster-test: folded >= 15
// muster-test: case bind-list
// muster-test: env OMP_PLACES={0},{1}
// muster-test: env OMP_PROC_BIND=spread,close
// muster-test: env OMP_MAX_ACTIVE_LEVELS=2
// muster-test: env OMP_NUM_THREADS=2,2
// muster-test: folded >= 15
// muster-test: case passive
// muster-test: env OMP_WAIT_POLICY=passive
// muster-test: env KMP_BLOCKTIME=0
// muster-test: folded >= 15
// muster-test: case forever
// muster-test: env KMP_BLOCKTIME=infinite
// muster-test: folded >= 15
// muster-test: case schedule
// muster-test: env OMP_SCHEDULE=static,2
// muster-test: folded >= 15
// muster-test: case serial-library
// muster-test: env KMP_LIBRARY=serial
// muster-test: skip libgomp: it does not know that variable
// muster-test: folded <= 0
// muster-test: case turnaround
// muster-test: env KMP_LIBRARY=turnaround
// muster-test: folded >= 15
// muster-test: case plain-barrier
// muster-test: env KMP_PLAIN_BARRIER_PATTERN=linear,linear
// muster-test: env KMP_FORKJOIN_BARRIER_PATTERN=tree,tree
// muster-test: folded >= 15
// muster-test: case cold-teams
// muster-test: env KMP_HOT_TEAMS_MAX_LEVEL=0
// muster-test: folded >= 15
// muster-test: case big-stack
// muster-test: env OMP_STACKSIZE=64M
// muster-test: folded >= 15
// muster-test: case dynamic
// muster-test: env OMP_DYNAMIC=true
// muster-test: arguments dynamic
// muster-test: folded <= 0
// muster-test: unfolded "dynamic adjustment" >= 15
#include "getters.h"

// Under dynamic adjustment the answers go by the machine's load.
static void dynamic(void) {
  int bad = 0;
  for (int i = 0; i < 20; ++i) {
    int size = 0, seen = 0;
#pragma omp parallel
    {
#pragma omp atomic
      ++seen;
#pragma omp master
      size = omp_get_num_threads();
    }
    bad += size != seen;
  }
  printf("dynamic: %d bad\n", bad);
}

int main(int count, char** arguments) {
  if (count > 1 && arguments[1][0] == 'd') {
    dynamic();
    return 0;
  }
  struct answers answers[kMostThreads];
  settle();
  for (int i = 0; i < 3; ++i) {
    struct answers serial = ask();
    int size = 0, whose[24];
#pragma omp parallel
    {
      answers[omp_get_thread_num()] = ask();
#pragma omp for schedule(runtime)
      for (int k = 0; k < 24; ++k) whose[k] = omp_get_thread_num();
#pragma omp master
      size = omp_get_num_threads();
    }
    print_answers("serial", &serial);
    for (int k = 0; k < size; ++k) print_answers("region", &answers[k]);
    for (int k = 0; k < 24; ++k) printf("%d", i == 0 || size == 1 ? 0 : whose[k]);
    printf("\n");
  }
  return finish();
}
