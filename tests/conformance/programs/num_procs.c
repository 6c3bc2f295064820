// The number of CPUs, asked in regions: libgomp counts those of the calling thread, which Muster may have bound to one.
// muster-test: replaced >= 1000
#include "check.h"

int main(void) {
  const int all = omp_get_num_procs();
  long long arrivals = 0;
  for (int round = 0; round < 200; ++round) {
#pragma omp parallel num_threads(2) reduction(+ : arrivals)
    for (int turn = 0; turn < 40; ++turn) {
#pragma omp barrier
      expect(omp_get_num_procs() == all);
      ++arrivals;
    }
  }
  return verdict("num_procs", arrivals);
}
