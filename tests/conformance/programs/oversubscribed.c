// Teams of 16, 17 and 33 threads, more than the machine has CPUs.
// muster-test: threads 33
// muster-test: replaced >= 500
#include "check.h"

static long cell[kMaxThreads], item[70];

int main(void) {
  static const int kSizes[] = {16, 33, 17};
  long long checksum = 0;
  for (int k = 0; k < 3; ++k) {
#pragma omp parallel num_threads(kSizes[k])
    {
      int me = omp_get_thread_num(), n = omp_get_num_threads();
      for (int round = 0; round < 6; ++round) {
        late(round * 5);
        cell[me] = mark(round, me);
#pragma omp barrier  // MUTANT: remove
        for (int i = 0; i < n; ++i) expect(cell[i] == mark(round, i));
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 70; ++i) item[i] = mark(round, i);
        for (int i = 0; i < 70; ++i) expect(item[i] == mark(round, i));
#pragma omp barrier
      }
    }
    for (int i = 0; i < kSizes[k]; ++i) checksum += cell[i];
  }
  return verdict("oversubscribed", checksum);
}
