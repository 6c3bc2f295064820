// std::threads born inside a parallel region, each a root of its own, while the region goes on.
// muster-test: threads 6
// muster-test: replaced >= 30
#include <thread>

#include "check.h"

static long outer[2], inner[2][2];

int main() {
  long long checksum = 0;
#pragma omp parallel num_threads(2)
  for (int round = 0; round < 5; ++round) {
    int me = omp_get_thread_num();
    std::thread child([me, round] {
      expect(omp_get_level() == 0);
#pragma omp parallel num_threads(2)
      {
        int i = omp_get_thread_num();
        late(round);
        inner[me][i] = mark(round, i);
#pragma omp barrier
        for (int k = 0; k < 2; ++k) expect(inner[me][k] == mark(round, k));
#pragma omp barrier
      }
    });
    late(round);
    outer[me] = mark(round, me);
#pragma omp barrier
    for (int k = 0; k < 2; ++k) expect(outer[k] == mark(round, k));
    child.join();
#pragma omp barrier
    for (int k = 0; k < 2; ++k) expect(inner[k][1] == mark(round, 1));
#pragma omp barrier
  }
  checksum = outer[0] + inner[1][1];
  return verdict("roots_nested", checksum);
}
