// A shared object that uses OpenMP, for a program that does not.
#include "check.h"

int plugin(void);

int plugin(void) {
  static int cell[kMaxThreads];
#pragma omp parallel
  {
    int me = omp_get_thread_num(), n = omp_get_num_threads();
    for (int round = 1; round <= 50; ++round) {
      if (round < 10) late(round);
      cell[me] = round;
#pragma omp barrier
      for (int i = 0; i < n; ++i) expect(cell[i] == round);
#pragma omp barrier
    }
  }
  return verdict("plugin", cell[0]);
}
