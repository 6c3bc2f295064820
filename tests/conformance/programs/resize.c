// A team of another size in every region.
// muster-test: threads 9
// muster-test: replaced >= 200
#include "check.h"

static long cell[kMaxThreads];

int main(void) {
  static const int kSizes[] = {2, 4, 3, 1, 7, 2, 2, 9, 1, 1, 5, 8, 6, 3, 2, 4};
  long long checksum = 0;
  for (int round = 0; round < (int)(sizeof kSizes / sizeof kSizes[0]); ++round) {
#pragma omp parallel num_threads(kSizes[round])
    {
      int me = omp_get_thread_num(), n = omp_get_num_threads();
      expect(n == kSizes[round]);
      for (int k = 0; k < 5; ++k) {
        late(round + k);
        cell[me] = mark(round * 10 + k, me);
#pragma omp barrier
        for (int i = 0; i < n; ++i) expect(cell[i] == mark(round * 10 + k, i));
#pragma omp barrier
      }
    }
    for (int i = 0; i < kSizes[round]; ++i) checksum += cell[i];
  }
  omp_set_num_threads(3);
#pragma omp parallel
  {
    expect(omp_get_num_threads() == 3);
#pragma omp barrier
  }
  return verdict("resize", checksum);
}
