// Parallel regions three deep, of different sizes, with barriers at every level.
// muster-test: env OMP_MAX_ACTIVE_LEVELS=3
// muster-test: threads 12
// muster-test: replaced >= 100
#include "check.h"

static long outer[2], middle[2][3], inner[2][3][2];

int main(void) {
  long long checksum = 0;
#pragma omp parallel num_threads(2)
  for (int round = 0; round < 6; ++round) {
    int i = omp_get_thread_num();
    late(round);
    outer[i] = mark(round, i);
#pragma omp barrier
    for (int k = 0; k < 2; ++k) expect(outer[k] == mark(round, k));
#pragma omp parallel num_threads(3) firstprivate(i)
    {
      expect(omp_get_level() == 2 && omp_get_num_threads() == 3);
      int j = omp_get_thread_num();
      late(round);
      middle[i][j] = mark(round, j);
#pragma omp barrier
      for (int k = 0; k < 3; ++k) expect(middle[i][k] == mark(round, k));
#pragma omp parallel num_threads(2) firstprivate(i, j)
      {
        expect(omp_get_level() == 3 && omp_get_team_size(2) == 3);
        int k = omp_get_thread_num();
        late(round);
        inner[i][j][k] = mark(round, k);
#pragma omp barrier
        for (int m = 0; m < 2; ++m) expect(inner[i][j][m] == mark(round, m));
#pragma omp barrier
#pragma omp single
        inner[i][j][0] = -round;
        expect(inner[i][j][0] == -round);
#pragma omp barrier
      }
#pragma omp barrier
      for (int k = 0; k < 3; ++k) expect(inner[i][k][0] == -round);
    }
#pragma omp barrier
  }
  for (int i = 0; i < 2; ++i) checksum += outer[i] + middle[i][2] + inner[i][1][1];
  return verdict("nested", checksum);
}
