// Many short regions with one barrier each: team states are taken and given back all the time.
// muster-test: replaced >= 600
#include "check.h"

static long cell[2][kMaxThreads];

int main(void) {
  long long checksum = 0;
  for (int region = 0; region < 600; ++region) {
#pragma omp parallel
    {
      int me = omp_get_thread_num(), n = omp_get_num_threads();
      cell[region & 1][me] = region;
#pragma omp barrier
      for (int i = 0; i < n; ++i) expect(cell[region & 1][i] == region);
    }
    checksum += cell[region & 1][0];
  }
  return verdict("many_regions", checksum);
}
