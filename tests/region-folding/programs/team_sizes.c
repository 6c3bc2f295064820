// Teams of 2 to 8 and back, by clause and by call, each for long enough to be folded: threads keep
// their data, and those that were given back to the pool come again.
// muster-test: folded >= 100
// muster-test: closed >= 12
#include "trap.h"

static long mine;
#pragma omp threadprivate(mine)

static void grow(int size, int by_call) {
  long values[kMostThreads] = {0};
  for (int i = 0; i < 10; ++i) {
    if (by_call) {
      omp_set_num_threads(size);
#pragma omp parallel
      values[omp_get_thread_num()] = ++mine;
    } else {
#pragma omp parallel num_threads(size)
      values[omp_get_thread_num()] = ++mine;
    }
  }
  printf("%d by %s:", size, by_call ? "call" : "clause");
  int some = 0;
  for (int t = 0; t < size; ++t) some += values[t] >= 10;
  printf(" %ld, %d threads of %d\n", values[0], some, size);
}

int main(void) {
  for (int by_call = 0; by_call < 2; ++by_call) {
    for (int size = 2; size <= 8; ++size) grow(size, by_call);
    for (int size = 8; size >= 2; --size) grow(size, by_call);
  }
  return finish();
}
