// A program that checks its barriers and reports the result: team ROUNDS [NAP_US [any]]. Each round has two
// barriers. With "any" the size of the team does not show: OMP_DYNAMIC makes it follow the load.
#include <string.h>

#include "check.h"

enum { kMost = 2048 };
static int cell[kMost];

int main(int count, char** arguments) {
  int rounds = count > 1 ? atoi(arguments[1]) : 20;
  int microseconds = count > 2 ? atoi(arguments[2]) : 0;
  int size = 0;
#pragma omp parallel
  {
    int me = omp_get_thread_num(), n = omp_get_num_threads();
    if (me == 0) size = n;
    for (int round = 1; round <= rounds; ++round) {
      if (microseconds > 0 && me == round % n) nap(microseconds);
      cell[me] = round;
#pragma omp barrier
      for (int i = 0; i < n; ++i) expect(cell[i] == round);
#pragma omp barrier
    }
  }
  int any_size = count > 3 && strcmp(arguments[3], "any") == 0;
  return verdict("team", any_size ? 0 : size);
}
